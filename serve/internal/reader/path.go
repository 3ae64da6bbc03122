package reader

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table/stepindex"
	"mkt/serve/internal/reader/lru"
)

// stepCaches are what the changeLogs of all tenants have in memory of steps. Indexes are found by the
// hash of their segment.
type stepCaches struct {
	indexes *lru.Cache[string, *stepindex.Index]
	paths   *lru.Cache[pathKey, *steps.Market]
}

// pathKey is a market in a publication.
type pathKey struct{ manifest, fixture, market string }

func newStepCaches() *stepCaches {
	return &stepCaches{lru.New[string, *stepindex.Index](stepIndexSize), lru.New[pathKey, *steps.Market](pathSize)}
}

// PricePath reads the part of the path of the prices of a market that a span needs, up to a time; zero for
// all. What is read up to the end is kept for the requests for other pages.
func (v *View) PricePath(fixture, market string, until time.Time, of steps.Span) (*steps.Path, error) {
	key := pathKey{v.commit.ManifestSHA256, fixture, market}
	m, ok := v.log.steps.paths.Get(key)
	if !ok || !until.IsZero() {
		m = steps.NewMarket(&v.manifest, fixture, market, until)
	}
	p, err := m.Path(steps.Source{FS: v.log.fs, Index: v.log.index}, of)
	if err == nil && until.IsZero() {
		v.log.steps.paths.Put(key, m, m.Memory())
	}
	return p, err
}

// StepsSince returns when the oldest recorded step was published; nil if none is recorded.
func (v *View) StepsSince() *time.Time {
	if len(v.manifest.Steps) == 0 {
		return nil
	}
	at := v.manifest.Steps[0].Begins()
	return &at
}

// index returns the index of a segment of steps. Its file is checked against its hash once.
func (l *changeLog) index(s snapshot.Segment) (*stepindex.Index, error) {
	x, ok := l.steps.indexes.Get(s.SHA256)
	if !ok {
		if err := l.verify(s); err != nil {
			return nil, err
		}
		var err error
		if x, err = steps.NewIndex(l.fs, s); err != nil {
			return nil, err
		}
	}
	l.steps.indexes.Put(s.SHA256, x, x.Memory())
	return x, nil
}

// indexSteps makes the indexes of the segments, the newest ones first, so that no request waits for
// them. It ends at the tenant's share of their memory: more would evict those of other tenants, and all
// would be made anew with every publication. It is called after the publication is served, and does
// not wait for the end.
func (d *Dataset) indexSteps(ctx context.Context, segments []snapshot.Segment) {
	if !d.library.o.Paths || !d.indexing.TryLock() {
		return
	}
	changes, left := d.changes, d.library.shareOf(cacheSize{all: stepIndexSize})
	go func() {
		defer d.indexing.Unlock()
		for _, s := range slices.Backward(segments) {
			if ctx.Err() != nil || left <= 0 {
				return
			}
			x, err := changes.index(s)
			switch {
			case err == nil:
				left -= x.Memory()
			case !errors.Is(err, fs.ErrClosed):
				d.log.Warn("cannot read a segment of the steps of prices", "file", s.File, "err", err)
			}
		}
	}()
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
