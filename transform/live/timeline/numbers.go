package timeline

import (
	"hash/fnv"
	"strconv"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
)

// numbers gives every entry of a match a number, from which its public id follows. A number is never
// given twice, not even after the timeline began again.
type numbers struct {
	match int64 // what tells the ids of this match from those of others
	last  int   // the newest number that was given
	first int   // the first number since the timeline began
}

const matchBits = 50 // ten characters of an id

func numbersOf(seed string) numbers {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return numbers{match: int64(h.Sum64() >> (64 - matchBits)), first: 1}
}

func (n *numbers) next() int {
	n.last++
	return n.last
}

func (n *numbers) anew() numbers { return numbers{n.match, n.last, n.last + 1} }

// id returns the public id of an entry.
func (n *numbers) id(e *entry) string {
	match := "en_" + strconv.FormatInt(n.match, 36)
	switch {
	case e.state == football.VisualStale:
		return football.StaleEntryID(match, clock.UTC(e.at))
	case e.number < 0: // between two entries
		return football.EntryID(match, -e.number) + "-b"
	}
	return football.EntryID(match, e.number)
}

// number gives numbers to the entries of a timeline that has none.
func (t *Timeline) number(seed string) {
	t.numbers = numbersOf(seed)
	for i := range t.entries {
		t.entries[i].number = t.numbers.next()
	}
}

// encodeNumbers writes each number relative to the one before.
func (t *Timeline) encodeNumbers(e *codec.Encoder) {
	e.Int(t.numbers.match)
	e.Int(int64(t.numbers.last))
	e.Int(int64(t.numbers.first))
	before := 0
	for i := range t.entries {
		n := t.entries[i].number
		e.Int(int64(n - before - 1))
		before = n
	}
}

func (t *Timeline) decodeNumbers(d *codec.Decoder) {
	n := numbers{d.Int(), d.Whole(), d.Whole()}
	if n.match < 0 || n.match>>matchBits != 0 || n.first < 1 || n.last < n.first-1 {
		d.Fail()
	}
	t.numbers = n
	before := 0
	for i := range t.entries {
		before += d.Whole() + 1
		if before < n.first || before > n.last {
			d.Fail()
		}
		t.entries[i].number = before
	}
}
