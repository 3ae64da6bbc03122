// Package changelog reads the change log of publications for tests, and checks what must hold for
// everybody who ever reads it: no seq is missing or comes twice, an event stays what it was, and the
// log of a publication ends at the seq that its commit names.
package changelog

import (
	"fmt"
	"iter"
	"time"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Log has the events of a dataset that anybody has read. The zero value has none.
type Log struct {
	events map[position]event
	last   uint64
}

type position struct {
	history string
	seq     uint64
}

type event struct {
	text string
	at   time.Time
}

// Events returns the events of a publication behind a seq. An error ends them.
func (l *Log) Events(root durable.ReadFS, c snapshot.Commit, m snapshot.Manifest, after uint64) iter.Seq2[table.EventRow, error] {
	return func(yield func(table.EventRow, error) bool) {
		next := max(after+1, c.FirstSeq)
		for row, err := range snapshot.Events(root, m, after) {
			if err == nil {
				err = l.note(c.HistoryID, next, row)
			}
			if err != nil {
				yield(table.EventRow{}, err)
				return
			}
			if !yield(*row, nil) {
				return
			}
			next++
		}
		if next != c.LastSeq+1 {
			yield(table.EventRow{}, fmt.Errorf("the events end at %d, the commit says %d", next-1, c.LastSeq))
		}
	}
}

func (l *Log) note(history string, seq uint64, row *table.EventRow) error {
	if uint64(row.Seq) != seq {
		return fmt.Errorf("seq %d follows %d", row.Seq, seq-1)
	}
	digest := ""
	if row.ContentDigest != nil {
		digest = *row.ContentDigest
	}
	at, is := position{history, seq}, event{fmt.Sprint(row.Type, row.FixtureID, row.ProviderFixtureID, row.PublishedAt, row.CycleID, digest), row.PublishedAt}
	if was, known := l.events[at]; known && was.text != is.text {
		return fmt.Errorf("seq %d was %s and is %s", seq, was.text, is.text)
	}
	if l.events == nil {
		l.events = map[position]event{}
	}
	l.events[at], l.last = is, max(l.last, seq)
	return nil
}

// Published returns when an event was published, false if nobody has read it.
func (l *Log) Published(history string, seq uint64) (time.Time, bool) {
	e, known := l.events[position{history, seq}]
	return e.at, known
}

// Last returns the newest seq that anybody has read, of any history.
func (l *Log) Last() uint64 { return l.last }
