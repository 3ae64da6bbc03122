package timeline

import (
	"hash/fnv"
	"strconv"
	"strings"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
)

// numbers gives every entry of a match a number, from which its public id follows. A number is never
// given twice, not even after the timeline began again.
type numbers struct {
	match int64 // what tells the ids of this match from those of others
	last  int32 // the newest number that was given
	first int32 // the first number since the timeline began
}

const matchBits = 50 // ten characters of an id

func numbersOf(seed string) numbers {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return numbers{match: int64(h.Sum64() >> (64 - matchBits)), first: 1}
}

func (n *numbers) next() int32 {
	n.last++
	return n.last
}

func (n *numbers) anew() numbers { return numbers{n.match, n.last, n.last + 1} }

// id returns the public id of an entry.
func (n *numbers) id(e *entry) string { return n.ids([]entry{*e})[0] }

// ids returns the public ids of entries.
func (n *numbers) ids(entries []entry) []string {
	match := strconv.FormatInt(n.match, 36)
	all, ends := make([]byte, 0, len(entries)*(len(match)+len("en_-123"))), make([]int, len(entries))
	for i := range entries {
		e := &entries[i]
		switch all = append(append(all, "en_"...), match...); {
		case e.state == football.VisualStale:
			all = football.AppendStaleEntry(all, clock.UTC(e.at))
		case e.number < 0: // between two entries: no number begins with a zero
			all = strconv.AppendInt(append(all, "-0"...), -int64(e.number), 36)
		default:
			all = football.AppendEntry(all, e.number)
		}
		ends[i] = len(all)
	}
	text, ids, from := string(all), make([]string, len(entries)), 0
	for i, end := range ends {
		ids[i], from = text[from:end], end
	}
	return ids
}

// isBetween reports whether an id is of an entry between two that would otherwise be equal.
func isBetween(id string) bool { return strings.Contains(id, "-0") }

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
	before := int32(0)
	for i := range t.entries {
		n := t.entries[i].number
		e.Int(int64(n - before - 1))
		before = n
	}
}

func (t *Timeline) decodeNumbers(d *codec.Decoder) {
	n := numbers{d.Int(), int32(d.Whole()), int32(d.Whole())}
	if n.match < 0 || n.match>>matchBits != 0 || n.first < 1 || n.last < n.first-1 {
		d.Fail()
	}
	t.numbers = n
	before := int32(0)
	for i := range t.entries {
		before += int32(d.Whole()) + 1
		if before < n.first || before > n.last {
			d.Fail()
		}
		t.entries[i].number = before
	}
}
