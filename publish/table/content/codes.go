package content

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"mkt/publish/table"
	"mkt/publish/table/columnar"
)

// columns are the columns of a table with their codes, by leaf: see the tag digest of the row types.
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

	// Of a fixture without a kick-off: a missing kick-off was never digested.
	codesWithoutStart = sync.OnceValue(func() []int {
		codes := slices.Clone(fixtureColumns().codes)
		codes[slices.Index(codes, startsAtCode)] = notDigested
		return codes
	})
)

const (
	startsAtCode = 4
	notDigested  = -1
)

// columnsOf panics on a column that has no code and is not excluded, which is a mistake in its definition.
func columnsOf[T table.Row]() columns {
	l := table.LayoutOf[T]()
	codes := make([]int, len(l.Leaves))
	for i, leaf := range l.Leaves {
		tag := l.Tags[leaf.Name].Get("digest")
		code, err := strconv.Atoi(tag)
		if tag == "-" {
			code, err = notDigested, nil
		}
		if err != nil || code > math.MaxUint8 || code >= 0 && slices.Contains(codes[:i], code) {
			panic(fmt.Sprintf("table %s: column %s needs a digest code of its own, or \"-\"", l.Name, leaf.Name))
		}
		codes[i] = code
	}
	return columns{l.Slots, codes}
}

// firstCode returns the code of the first column of the content.
func (c *columns) firstCode() int {
	for _, code := range c.codes {
		if code != notDigested {
			return code
		}
	}
	return notDigested
}
