package reader

import (
	"time"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
)

// PricePath reads the path of the prices of a market, up to a time; zero for all. Its files are
// checked against their hashes once.
func (v *View) PricePath(fixture, market string, until time.Time) (*steps.Path, error) {
	return steps.Read(v.log.fs, &v.manifest, fixture, market, until, v.log.verify)
}

// StepsSince returns when the oldest recorded step was published; nil if none is recorded.
func (v *View) StepsSince() *time.Time {
	if len(v.manifest.Steps) == 0 {
		return nil
	}
	at := v.manifest.Steps[0].Begins()
	return &at
}

// verify checks a segment against its hash, once.
func (l *changeLog) verify(s snapshot.Segment) error {
	if _, ok := l.verified.Get(s.SHA256); ok {
		return nil
	}
	err := snapshot.VerifySegment(l.fs, s)
	if err == nil {
		l.verified.Put(s.SHA256, struct{}{}, 1)
	}
	return err
}
