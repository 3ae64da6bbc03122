package segments

import (
	"time"

	"mkt/publish/table/stepindex"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
)

// PricePath reads the part of the path of the prices of a market that a span needs, up to a time; zero for
// all. What is read up to the end is kept for the requests for other pages. sha256 is the hash of the manifest.
func (r *Reader) PricePath(manifest *snapshot.Manifest, sha256, fixture, market string, until time.Time, of steps.Span) (*steps.Path, error) {
	key := pathKey{sha256, fixture, market}
	m, ok := r.steps.paths.Get(key)
	if !ok || !until.IsZero() {
		m = steps.NewMarket(manifest, fixture, market, until)
	}
	p, err := m.Path(steps.Source{FS: r.fs, Index: r.StepIndex}, of)
	if err == nil && until.IsZero() {
		r.steps.paths.Put(key, m, m.Memory())
	}
	return p, err
}

// StepIndex returns the index of a segment of steps. Its file is checked against its hash once.
func (r *Reader) StepIndex(s snapshot.Segment) (*stepindex.Index, error) {
	x, ok := r.steps.indexes.Get(s.SHA256)
	if !ok {
		if err := r.verify(s); err != nil {
			return nil, err
		}
		var err error
		if x, err = steps.NewIndex(r.fs, s); err != nil {
			return nil, err
		}
	}
	r.steps.indexes.Put(s.SHA256, x, x.Memory())
	return x, nil
}
