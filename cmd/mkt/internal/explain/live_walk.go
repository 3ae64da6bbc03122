package explain

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mkt/fetch/raw"
	"mkt/transform"
)

// slack is how much earlier than what is asked for the walk begins: what a counter
// fell from is remembered for two minutes.
const slack = 3 * time.Minute

// walk takes the steps from far enough back up to the publication.
func (l *liveTrail) walk(ctx context.Context) error {
	until := timeOf(l.commit.CycleID)
	from := l.from(until)
	if err := l.beginBefore(from); err != nil {
		return err
	}
	if l.began {
		from = timeOf(l.begin.Cycle).Add(time.Second)
	}
	cycles, err := raw.Between(l.Root, from, until)
	if err != nil || len(cycles) == 0 {
		return err
	}
	newest, err := raw.NewWalk(l.Root).Open(cycles[len(cycles)-1])
	if err != nil {
		return err
	}
	p, err := l.adapter(newest.Cycle().Provider)
	if err != nil {
		return err
	}
	o := transform.LiveOptions{Root: l.Root, Provider: p, Fixture: l.fixture, Event: l.event, Cycles: cycles, Progress: l.Progress}
	if l.began {
		o.From = &l.begin
	}
	l.steps, err = transform.RetraceLive(ctx, o)
	return err
}

// from is when the walk must begin at the latest.
func (l *liveTrail) from(until time.Time) time.Time {
	switch {
	case l.target.live == "minute" && l.row != nil && l.row.ClockMinute != nil:
		back := max(0, int(*l.row.ClockMinute)-l.target.number+2)
		if l.target.number <= 45 && *l.row.ClockMinute >= 45 {
			back += 30 // half-time and stoppage
		}
		return until.Add(-time.Duration(back)*time.Minute - slack)
	case l.target.live == "timeline", l.target.live == "minute":
		return time.Time{}
	}
	return until.Add(-slack)
}

// beginBefore finds the newest state that a canonical cycle before a time keeps.
// Without one the walk begins with a baseline, as far back as there are samples.
func (l *liveTrail) beginBefore(at time.Time) error {
	ids := l.canonicals()
	slices.Sort(ids)
	for _, id := range slices.Backward(ids) {
		if timeOf(id).After(at) {
			continue
		}
		begin, found, err := transform.LiveBegins(l.Root, id, l.is)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if found {
			l.begin, l.began = begin, true
		}
		return nil
	}
	return nil
}
