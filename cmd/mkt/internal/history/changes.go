package history

import (
	"slices"
	"sort"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// change is a kept publication in which the fixture differs from the kept one before it, or may
// differ because the change log does not reach back to it.
type change struct {
	cycle   layout.CycleID
	removed bool
	first   bool // the first publication ever with the fixture
}

func (c change) at() time.Time { return layout.TimeOf(c.cycle) }

// event is an entry of the change log about the fixture.
type event struct {
	cycle  layout.CycleID
	digest string // "" if the fixture was removed
}

// changes returns the kept publications that changed the fixture, oldest first, and whether the
// change log is complete.
func (r *reader) changes() (list []change, complete bool, err error) {
	kept, err := snapshot.CyclesIn(r.Root, layout.SnapshotsDir)
	if err != nil {
		return nil, false, err
	}
	events, err := r.events()
	if err != nil {
		return nil, false, err
	}
	complete = r.head.FirstSeq <= 1
	begins, known := layout.CycleID(""), complete
	if len(r.manifest.Changes) > 0 && !complete {
		begins, known = layout.CycleOfSegment(r.manifest.Changes[0].File)
	}
	var was string
	for _, cycle := range kept {
		if cycle > r.head.CycleID {
			break // not committed
		}
		next := sort.Search(len(events), func(i int) bool { return events[i].cycle > cycle })
		switch {
		case next > 0:
			if digest := events[next-1].digest; digest != was || len(list) == 0 {
				first := complete && events[0].cycle == cycle
				if digest != "" || was != "" {
					list = append(list, change{cycle: cycle, removed: digest == "", first: first})
				}
				was = digest
			}
		case !known || cycle < begins:
			list, was = append(list, change{cycle: cycle}), "unknown"
		}
	}
	// A log that begins later than the fixture's newest refresh says nothing about it.
	if len(list) == 0 && !complete && len(kept) > 0 {
		list = append(list, change{cycle: r.head.CycleID})
	}
	return list, complete, nil
}

func (r *reader) events() (list []event, err error) {
	key := eventsKey{r.Dataset, r.head.SHA256, r.Fixture}
	if list, ok := r.Cache.eventsOf(key); ok {
		return list, nil
	}
	segments := r.manifest.Changes
	parts := make([][]event, len(segments))
	var workers errgroup.Group
	workers.SetLimit(readers)
	for i, s := range segments {
		workers.Go(func() error {
			for row, err := range snapshot.FixtureRows[table.EventRow](r.Root, s.File, r.Fixture) {
				if err != nil {
					return err
				}
				e := event{cycle: layout.CycleID(row.CycleID)}
				if row.ContentDigest != nil {
					e.digest = *row.ContentDigest
				}
				parts[i] = append(parts[i], e)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	list = slices.Concat(parts...)
	r.Cache.putEvents(key, list)
	return list, nil
}

// within returns the changes between two times, and the one in force at the first.
func within(list []change, from, to time.Time) []change {
	if !to.IsZero() {
		list = list[:sort.Search(len(list), func(i int) bool { return list[i].at().After(to) })]
	}
	if !from.IsZero() {
		list = list[max(0, sort.Search(len(list), func(i int) bool { return list[i].at().After(from) })-1):]
	}
	return list
}

// choose returns at most a number of the changes, evenly spaced: always the first, the last, and
// the last two that began before kick-off. It takes two because the payloads of the last may be
// newer than kick-off.
func choose(list []change, most int, kickOff time.Time) []change {
	if len(list) <= most {
		return list
	}
	wanted := []int{0, len(list) - 1}
	if !kickOff.IsZero() {
		last := sort.Search(len(list), func(i int) bool { return !list[i].at().Before(kickOff) }) - 1
		wanted = append(wanted, max(0, last), max(0, last-1))
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	for i, n := 1, most-len(wanted); i <= n; i++ {
		wanted = append(wanted, i*(len(list)-1)/(n+1))
	}
	slices.Sort(wanted)
	var chosen []change
	for _, i := range slices.Compact(wanted) {
		chosen = append(chosen, list[i])
	}
	return chosen
}

// Price is the state of a price at a step.
type Price string

// The states of a price.
const (
	Offered     Price = "OFFERED"
	Withheld    Price = "NOT_PUBLISHABLE" // a price the service does not vouch for, with reasons
	NullPrice   Price = "NULL"            // sent without a value
	AbsentPrice Price = "ABSENT"          // the selection was sent without a price
	NoSelection Price = "NO_SELECTION"    // the market was sent without the selection
	NoMarket    Price = "NO_MARKET"       // the fixture was sent without the market
	NoFixture   Price = "NO_FIXTURE"      // the publication does not have the fixture
)

// IsSuspended reports whether the reasons include a suspension by the provider.
func IsSuspended(reasons []string) bool { return slices.Contains(reasons, string(football.Suspended)) }
