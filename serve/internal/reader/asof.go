package reader

import (
	"log/slog"
	"slices"
	"sort"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/snapshot"
	"mkt/serve/asof"
)

// publications are those of one dataset.
type publications struct {
	clock *asof.Clock
	log   *slog.Logger
	span  []snapshot.Commit // for a clock of the past, those that it can show, oldest first; nil = not read yet
	next  time.Time         // when the one after the current one was published, for a clock of the past; zero = there is none
}

// head returns the publication to serve: the newest one, or the one that was current at the
// time of a clock of the past. If the record of a newer one cannot be used, fault says why.
func (p *publications) head(root durable.ReadFS) (c snapshot.Commit, found bool, fault, err error) {
	if !p.clock.IsPast() {
		return snapshot.HeadAndFault(root)
	}
	if err := p.readSpan(root); err != nil {
		return snapshot.Commit{}, false, nil, err
	}
	now := p.clock.Now()
	n := sort.Search(len(p.span), func(i int) bool { return p.span[i].PublishedAt.After(now) })
	p.next = time.Time{}
	if n < len(p.span) {
		p.next = p.span[n].PublishedAt
	}
	if n == 0 {
		return snapshot.Commit{}, false, nil, nil
	}
	return p.span[n-1], true, nil, nil
}

// readSpan reads the commit records that a clock of the past can show, unless it has read them
// before: the one that is current when the clock's span begins, and those up to its end. A
// publication whose record is damaged is left out.
func (p *publications) readSpan(root durable.ReadFS) error {
	if p.span != nil {
		return nil
	}
	from, to := p.clock.Span()
	newest, found, err := snapshot.Head(root)
	if err != nil || !found {
		return err
	}
	last, _, err := snapshot.Search(root, newest, func(c snapshot.Commit) bool { return c.PublishedAt.After(to) })
	if snapshot.IsFault(err) || snapshot.IsDamage(err) {
		last, err = newest, nil // the search met a record that is left out below
	}
	if err != nil {
		return err
	}
	span := []snapshot.Commit{}
	for c, err := range snapshot.Backward(root, last) {
		if snapshot.IsFault(err) || snapshot.IsDamage(err) {
			p.log.Warn("a publication is left out, because its record cannot be used", "version", c.Version, "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if c.PublishedAt.After(to) {
			continue
		}
		span = append(span, c)
		if !c.PublishedAt.After(from) {
			break
		}
	}
	slices.Reverse(span)
	p.span = span
	return nil
}

// inSpan returns how many publications follow each other in the span of a clock of the past.
func (p *publications) inSpan() int {
	from, _ := p.clock.Span()
	n := len(p.span)
	if n > 0 && !p.span[0].PublishedAt.After(from) {
		n-- // it is loaded before the replay begins
	}
	return n
}

// runAsOf returns the state file of the time of a clock of the past, as far as it
// can be known: the file describes the newest run and the failures just before it.
// If a later run overwrote it, the publication of that time proves the success of the
// runs up to then. If there was no publication either, runAsOf returns nil.
func runAsOf(clock *asof.Clock, r *health.Run, published time.Time) *health.Run {
	if !clock.IsPast() || r == nil {
		return r
	}
	now := clock.Now()
	if !r.FinishedAt.After(now) {
		return r
	}
	past := func(t *time.Time) *time.Time {
		if t == nil || t.After(now) {
			return nil
		}
		return t
	}
	was := *r
	was.LastOKAt, was.CredentialAcceptedAt, was.CredentialRefusedAt = past(r.LastOKAt), past(r.CredentialAcceptedAt), past(r.CredentialRefusedAt)
	was.FailedAt = slices.DeleteFunc(slices.Clone(r.FailedAt), func(t time.Time) bool { return t.After(now) })
	was.FailuresInARow = len(was.FailedAt)
	was.Plan = r.Plan.AsOf(now)
	switch {
	case was.LastOKAt != nil:
		was.FinishedAt = *was.LastOKAt
	case !published.IsZero():
		was.FinishedAt, was.LastOKAt, was.CredentialAcceptedAt = published, &published, &published
		was.FailedAt, was.FailuresInARow = nil, 0 // these failures began later
	default:
		return nil
	}
	was.OK = was.FailuresInARow == 0
	if was.OK {
		was.Code, was.Counters = "", nil
	} else {
		was.FinishedAt = was.FailedAt[len(was.FailedAt)-1]
	}
	was.StartedAt, was.Cycle = was.FinishedAt, ""
	return &was
}
