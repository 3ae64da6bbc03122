package console

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/fixtures"
	"mkt/internal/panics"
	"mkt/publish/snapshot"
)

const (
	departedWait  = 100 * time.Millisecond // how long a search waits for older publications
	maxDeparted   = 20_000                 // fixtures kept of a dataset
	showsDeparted = 50                     // on a page
)

// departed keeps the fixtures that left the newest publications, for searches. They are read in
// the background, from the first search on and again after each publication: the lists of 200
// publications take a second or two.
type departed struct {
	mu    sync.Mutex
	lists map[cli.Dataset]*departedList
	one   sync.Mutex // held while publications are read: one dataset at a time
}

// departedList lists the departed fixtures of a dataset, the last ones first.
type departedList struct {
	rows        []goneRow
	of          string        // hash of the record of the publication without them; "" at first
	running     chan struct{} // closed when it was read again; nil if it is not being read
	done, total int
	err         error
}

// goneRow is a departed fixture.
type goneRow struct {
	fixtureRow
	Version uint64
	Left    time.Time
}

// departedShown has the departed fixtures found by a search.
type departedShown struct {
	Rows    []goneRow
	More    int    // matches left out of Rows
	Reading string // how far the reading is; "" if it is done
}

// search returns the departed fixtures found by a query, none if it is "".
func (d *departed) search(of cli.Dataset, list *fixtureList, query string, matches func(*fixtureRow) bool) (shown departedShown, err error) {
	if query == "" {
		return shown, nil
	}
	rows, reading, err := d.list(of, list.commit)
	if err != nil {
		return shown, err
	}
	shown.Reading = reading
	present := map[string]bool{} // the list may still be of an older publication, while it is read again
	for i := range list.rows {
		present[list.rows[i].FixtureID] = true
	}
	for _, row := range rows {
		switch {
		case present[row.FixtureID], !matches(&row.fixtureRow):
		case len(shown.Rows) == showsDeparted:
			shown.More++
		default:
			shown.Rows = append(shown.Rows, row)
		}
	}
	return shown, nil
}

// list returns the departed fixtures, and how far reading them is.
func (d *departed) list(of cli.Dataset, head snapshot.Commit) (rows []goneRow, reading string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lists[of]
	if l == nil {
		if l = (&departedList{}); d.lists == nil || len(d.lists) >= maxFixtureLists {
			d.lists = map[cli.Dataset]*departedList{}
		}
		d.lists[of] = l
	}
	if l.running == nil && l.of != head.SHA256 {
		l.running = make(chan struct{})
		go d.read(of, head, l)
	}
	if running := l.running; running != nil {
		d.mu.Unlock()
		timer := time.NewTimer(departedWait)
		select {
		case <-running:
		case <-timer.C:
		}
		timer.Stop()
		d.mu.Lock()
	}
	if l.running != nil {
		reading = "Older publications are being read"
		if l.total > 0 {
			reading += fmt.Sprintf(", %d of %d so far", l.done, l.total)
		}
	}
	return l.rows, reading, l.err
}

func (d *departed) read(of cli.Dataset, head snapshot.Commit, l *departedList) {
	d.one.Lock()
	defer d.one.Unlock()
	rows, err := goneFrom(of, head, func(done, total int) {
		d.mu.Lock()
		l.done, l.total = done, total
		d.mu.Unlock()
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.err = err; err == nil {
		l.rows, l.of = rows, head.SHA256
	}
	l.done, l.total = 0, 0
	close(l.running)
	l.running = nil
}

// goneFrom reads the departed fixtures. A panic is an error: it must not end the console.
func goneFrom(of cli.Dataset, head snapshot.Commit, progress func(done, total int)) (rows []goneRow, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the older publications: " + panics.Describe(p))
		}
	}()
	root, err := of.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for gone, err := range fixtures.Departed(root, head, progress) {
		if err != nil {
			return nil, err
		}
		if rows = append(rows, goneRow{searched(gone.FixtureRow), gone.Version, gone.Left}); len(rows) == maxDeparted {
			break
		}
	}
	return rows, nil
}
