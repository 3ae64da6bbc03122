package transform

import (
	"context"
	"slices"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/transform/live"
	"mkt/transform/reading"
	"mkt/transform/rules"
)

// LiveSummary counts the work of a cycle of live intelligence.
type LiveSummary struct {
	InPlay    int // fixtures tracked in play
	Momentum  int // of those, with momentum
	Sampled   int // found on the list
	Baselines int // sampled for the first time
	Details   int // fixtures whose own events were read
	Left      int // left play in this cycle
	Held      int // missing, and kept because too many were missing at once
	Gone      int // no longer tracked
	Refused   int // stored states unreadable for this version
}

func liveCounts(s *Summary) []count {
	l := &s.Live
	return []count{{"fixtures", s.Fixtures}, {"in_play", l.InPlay}, {"momentum_available", l.Momentum}, {"sampled", l.Sampled},
		{"baselines", l.Baselines}, {"details_read", l.Details}, {"left", l.Left}, {"held", l.Held}, {"gone", l.Gone},
		{"states_refused", l.Refused}, {"broken", s.Broken}, {"damaged", s.Damaged}, {"failed", s.Failed}}
}

// deriveLive is the engine of live_intelligence. It folds the list and the details of a cycle
// into the states of the previous cycle. All times are the raw cycle's.
func deriveLive(ctx context.Context, r *run) error {
	list, details, err := r.readLive()
	if err != nil {
		return err
	}
	// This follows once the cycle is known to be readable. Otherwise each of several unreadable
	// cycles would transform all cycles before it, for nothing.
	if err := r.findPrevious(ctx); err != nil {
		return err
	}
	tracks, err := r.readStates()
	if err != nil {
		return err
	}
	tracks = assignIdentities(match(tracks, live.Join(list.Samples, details)))
	r.arrange(r.advance(tracks, list.Unread))
	return nil
}

// advance takes every fixture to this cycle, and drops those which left play long ago. unread are
// the ids of live records on the list that could not be used.
func (r *run) advance(tracks []*track, unread []string) (kept []*track) {
	l, at := &r.summary.Live, r.result.newest
	mayLeave := r.result.listingComplete && !r.tooManyMissing(tracks)
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
func (r *run) tooManyMissing(tracks []*track) bool {
	missing, listed := 0, 0
	for _, t := range tracks {
		if t.state != nil && !t.state.Left() {
			listed++
		}
		if t.isMissing(r.result.newest) {
			missing++
		}
	}
	if missing <= rules.HoldNumber || float64(missing) <= rules.HoldShare*float64(listed) {
		return false
	}
	r.summary.Live.Held = missing
	return true
}

// readLive reads the cycle's payloads and counts the unreadable ones.
func (r *run) readLive() (list provider.LiveSheet, details []input.Sample, err error) {
	adapter, err := liveAdapterOf(r.archive, r.Provider)
	if err != nil {
		return list, nil, err
	}
	sheets, err := readLive(r.archive, adapter, nil, nil)
	r.Received.Release() // nothing reads them again
	list = sheets.list
	if err != nil {
		return list, nil, err
	}
	res := &r.result
	res.counters = map[string]int64{"payloads": int64(sheets.answers), "payload_bytes": sheets.bytes}
	res.newest = sheets.at
	res.filtered, res.broken, res.damaged, res.unknown = list.Filtered, reading.Sums(list.Broken), reading.Sums(list.Damaged), reading.Sums(list.Unknown)
	for i := range sheets.details {
		d := &sheets.details[i]
		if d.err != nil {
			reading.Unreadable(r.log(), res.counters, d.origin.Response, d.err)
			continue
		}
		reading.Add(res.unknown, d.sheet.Unknown)
		reading.Add(res.damaged, d.sheet.Damaged)
		for reason, n := range d.sheet.Broken {
			res.damaged["detail: "+reason] += n
		}
	}
	details = sheets.detailSamples()
	r.summary.Damaged = reading.Total(res.damaged)
	r.summary.Live.Details = len(details)
	res.listingComplete = list.Complete && r.archive.Cycle().ListingComplete
	r.summary.Broken, r.summary.Failed = reading.Total(list.Broken), len(r.archive.Cycle().Failed)
	r.summary.Bytes = sheets.bytes
	return list, details, tooManyBroken(list)
}
