package content

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mkt/publish/table"
	"mkt/publish/table/columnar"
)

// columns are the columns of a table with their codes, by leaf: see the tag digest of the row types. A code is
// notDigested, or one byte, perhaps with ifAny.
type columns struct {
	slots []columnar.Slot
	codes []int
}

var (
	fixtureColumns = sync.OnceValue(columnsOf[table.FixtureRow])
	marketColumns  = sync.OnceValue(columnsOf[table.MarketRow])

	liveColumns     = sync.OnceValue(columnsOf[table.LiveRow])
	counterColumns  = sync.OnceValue(columnsOf[table.LiveCounterRow])
	timelineColumns = sync.OnceValue(columnsOf[table.LiveTimelineRow])
	bucketColumns   = sync.OnceValue(columnsOf[table.LiveBucketRow])
	periodColumns   = sync.OnceValue(columnsOf[table.LivePeriodRow])
)

const (
	notDigested = -1
	// ifAny is added to the code of a column that is left out if it has no value.
	ifAny = 1 << 8
)

// columnsOf panics on a column that has no code and is not excluded, which is a mistake in its definition.
func columnsOf[T table.Row]() columns {
	l := table.LayoutOf[T]()
	codes := make([]int, len(l.Leaves))
	for i, leaf := range l.Leaves {
		tag := l.Tags[leaf.Name].Get("digest")
		digits, isIfAny := strings.CutSuffix(tag, "?")
		code, err := strconv.Atoi(digits)
		if tag == "-" {
			code, err = notDigested, nil
		}
		isTaken := slices.ContainsFunc(codes[:i], func(other int) bool { return other != notDigested && other&^ifAny == code })
		if err != nil || code > math.MaxUint8 || isTaken {
			panic(fmt.Sprintf("table %s: column %s needs a digest code of its own, or \"-\"", l.Name, leaf.Name))
		}
		if isIfAny {
			code |= ifAny
		}
		codes[i] = code
	}
	return columns{l.Slots, codes}
}

// firstCode returns the code of the first column of the content.
func (c *columns) firstCode() int {
	for _, code := range c.codes {
		if code != notDigested {
			return code &^ ifAny
		}
	}
	return notDigested
}
