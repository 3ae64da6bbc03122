// Package tracking takes the fixtures in play from one cycle of live_intelligence to the next. It
// reads the list of a raw cycle, folds it with package live into the states stored by the cycle
// before, decides which fixtures have left play, and writes rows and states. [Trace] does the same
// with one fixture and archived cycles.
package tracking

import (
	"context"
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/transform/bounds"
	"mkt/transform/live"
	"mkt/transform/reading"
)

// Derive folds the list and the details of a raw cycle into the states of the previous cycle. All
// times are the raw cycle's. It adds what it found to the header.
func (c *Cycle) Derive(ctx context.Context) error {
	list, details, at, err := c.read()
	if err != nil {
		return err
	}
	// This follows once the cycle is known to be readable. Otherwise each of several unreadable
	// cycles would transform all cycles before it, for nothing.
	if err := c.findPrevious(ctx); err != nil {
		return err
	}
	tracks, err := c.readStates()
	if err != nil {
		return err
	}
	samples := live.Join(list.Samples, details)
	c.observer.InPlay(samples)
	tracks = assignIdentities(match(tracks, samples))
	c.arrange(c.advance(tracks, list.Unread, at))
	return nil
}

// advance takes every fixture to this cycle, whose list was retrieved at a time, and drops those
// which left play long ago. unread are the ids of live records on the list that could not be used.
func (c *Cycle) advance(tracks []*track, unread []string, at time.Time) (kept []*track) {
	l := c.Counts
	mayLeave := c.Header.ListingComplete && !c.tooManyMissing(tracks, at)
	for _, t := range tracks {
		hadNotLeft := t.state != nil && !t.state.Left()
		if t.sample != nil {
			l.Sampled++
			t.fold()
			if !t.known {
				l.Baselines++
			}
		} else {
			t.passUnlisted(at, mayLeave && !slices.Contains(unread, t.state.EventID()))
		}
		if hadNotLeft && t.state.Left() {
			l.Left++
		}
		if t.state.Expired(at) {
			l.Gone++
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// tooManyMissing reports whether a list lacks too many fixtures to end them, and counts them.
func (c *Cycle) tooManyMissing(tracks []*track, at time.Time) bool {
	missing, listed := 0, 0
	for _, t := range tracks {
		if t.state != nil && !t.state.Left() {
			listed++
		}
		if t.isMissing(at) {
			missing++
		}
	}
	if missing <= bounds.HoldNumber || float64(missing) <= bounds.HoldShare*float64(listed) {
		return false
	}
	c.Counts.Held = missing
	return true
}

// read reads the cycle's payloads and counts the unreadable ones. The list was retrieved at at.
func (c *Cycle) read() (list provider.LiveSheet, details []input.Sample, at time.Time, err error) {
	p, err := providerOf(c.Archive, c.Provider)
	if err != nil {
		return list, nil, at, err
	}
	c.observer = c.Observed.Observer(&p)
	sheets, err := readSheets(c.Archive, p.Live, c.observer.Fields(), nil, nil)
	c.Received.Release() // nothing reads them again
	list = sheets.list
	if err != nil {
		return list, nil, at, err
	}
	m := c.Header
	m.Counters = map[string]int64{"payloads": int64(sheets.answers), "payload_bytes": sheets.bytes}
	if at = sheets.at; !at.IsZero() {
		newest := at.UTC()
		m.ProviderFetchedAt = &newest
	}
	m.Filtered, m.Broken, m.Damaged, m.UnknownFields = list.Filtered, reading.Sums(list.Broken), reading.Sums(list.Damaged), reading.Sums(list.Unknown)
	for i := range sheets.details {
		d := &sheets.details[i]
		if d.err != nil {
			reading.Unreadable(c.Log, m.Counters, d.origin.Response, d.err)
			continue
		}
		reading.Add(m.UnknownFields, d.sheet.Unknown)
		reading.Add(m.Damaged, d.sheet.Damaged)
		for reason, n := range d.sheet.Broken {
			m.Damaged["detail: "+reason] += n
		}
	}
	details = sheets.detailSamples()
	c.Totals.Damaged = reading.Total(m.Damaged)
	c.Counts.Details = len(details)
	m.ListingComplete = list.Complete && c.Archive.Cycle().ListingComplete
	c.Totals.Broken, c.Totals.Failed = reading.Total(list.Broken), len(c.Archive.Cycle().Failed)
	c.Totals.Bytes = sheets.bytes
	return list, details, at, tooManyBroken(list)
}
