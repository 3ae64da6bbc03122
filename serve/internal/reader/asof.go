package reader

import (
	"errors"
	"slices"
	"time"

	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// head is the publication to be served: the newest, or the one that was out at
// the library's time.
// fault is what is wrong with the record of a newer one.
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

// then is what a state file said at the library's time, as far as it can be known:
// the file tells of the newest run, and of the failures just before. Where a later
// run wrote over it, the publication that was out says that runs were good by then;
// nothing is made up where there was none.
func (l *Library) then(r *health.Run, published time.Time) *health.Run {
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
	switch {
	case was.LastOKAt != nil:
		was.FinishedAt = *was.LastOKAt
	case !published.IsZero():
		was.FinishedAt, was.LastOKAt, was.CredentialAcceptedAt = published, &published, &published
		was.FailedAt, was.FailuresInARow = nil, 0 // in the newest row of failures, which began later
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
