package table

import (
	"cmp"
	"strings"
)

// key is a row's position in the order of its table.
type key struct {
	seq                  int64
	first, second, third string
	place, added         int32
	step                 int64
}

func (k *key) compare(other *key) int {
	if order := cmp.Compare(k.seq, other.seq); order != 0 {
		return order
	}
	if order := strings.Compare(k.first, other.first); order != 0 {
		return order
	}
	if order := strings.Compare(k.second, other.second); order != 0 {
		return order
	}
	if order := strings.Compare(k.third, other.third); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(k.place, other.place), cmp.Compare(k.added, other.added), cmp.Compare(k.step, other.step))
}

// number returns the number by which the table is sorted.
func (k key) number() int64 { return k.seq + int64(k.place) + k.step }

func keyOf[T Row](row *T) key {
	switch r := any(row).(type) {
	case *FixtureRow:
		return key{first: r.FixtureID}
	case *MarketRow:
		return key{first: r.FixtureID, second: r.MarketID}
	case *ListingRow:
		return key{first: r.FixtureID}
	case *EventRow:
		return key{seq: r.Seq}
	case *StepRow:
		return key{first: r.FixtureID, second: r.MarketID, third: r.SelectionID, step: r.Seq}
	case *LiveRow:
		return key{first: r.FixtureID}
	case *LiveCounterRow:
		return key{first: r.FixtureID, second: r.Metric}
	case *LiveTimelineRow:
		return key{first: r.FixtureID, place: r.Ordinal}
	case *LiveBucketRow:
		return key{first: r.FixtureID, place: r.Minute, added: r.Added}
	case *LivePeriodRow:
		return key{first: r.FixtureID, place: r.Half}
	case *LiveStateRow:
		return key{first: r.FixtureID}
	}
	return key{}
}

// Compare compares two rows by the order of their table.
func (r *StepRow) Compare(other *StepRow) int {
	a, b := keyOf(r), keyOf(other)
	return a.compare(&b)
}
