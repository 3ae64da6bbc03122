package reader

import (
	"errors"
	"slices"
	"time"

	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// head returns the publication to serve: the newest one, or the one that was current at the
// library's AsOf time. If the record of a newer one cannot be used, fault says why.
func (d *Dataset) head() (c snapshot.Commit, found bool, fault, err error) {
	if d.library.asOf.IsZero() {
		return snapshot.HeadAndFault(d.root)
	}
	c, err = snapshot.Find(d.root, snapshot.At(d.library.asOf))
	if errors.Is(err, snapshot.ErrUnknown) {
		return snapshot.Commit{}, false, nil, nil
	}
	return c, err == nil, nil, err
}

// runAsOf returns the state file of the library's AsOf time, as far as it
// can be known: the file describes the newest run and the failures just before it.
// If a later run overwrote it, the publication of that time proves the success of the
// runs up to then. If there was no publication either, runAsOf returns nil.
func (l *Library) runAsOf(r *health.Run, published time.Time) *health.Run {
	if l.asOf.IsZero() || r == nil || !r.FinishedAt.After(l.asOf) {
		return r
	}
	past := func(t *time.Time) *time.Time {
		if t == nil || t.After(l.asOf) {
			return nil
		}
		return t
	}
	was := *r
	was.LastOKAt, was.CredentialAcceptedAt, was.CredentialRefusedAt = past(r.LastOKAt), past(r.CredentialAcceptedAt), past(r.CredentialRefusedAt)
	was.FailedAt = slices.DeleteFunc(slices.Clone(r.FailedAt), func(t time.Time) bool { return t.After(l.asOf) })
	was.FailuresInARow = len(was.FailedAt)
	was.Plan = r.Plan.AsOf(l.asOf)
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
