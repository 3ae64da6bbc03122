package reader

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table"
	"mkt/serve/internal/reader/lru"
)

// stepCaches are what the changeLogs of all tenants have in memory of steps. Indexes are found by the
// hash of their segment.
type stepCaches struct {
	indexes *lru.Cache[string, *table.Index]
	paths   *lru.Cache[pathKey, *steps.Path]
}

// pathKey is a market in a publication.
type pathKey struct{ manifest, fixture, market string }

func newStepCaches() *stepCaches {
	return &stepCaches{lru.New[string, *table.Index](stepIndexSize), lru.New[pathKey, *steps.Path](pathSize)}
}

// PricePath reads the path of the prices of a market, up to a time; zero for all. It must not be changed:
// a whole path is kept for the requests for its other pages.
func (v *View) PricePath(fixture, market string, until time.Time) (*steps.Path, error) {
	key := pathKey{v.commit.ManifestSHA256, fixture, market}
	if until.IsZero() {
		if p, ok := v.log.steps.paths.Get(key); ok {
			return p, nil
		}
	}
	p, err := steps.Read(v.log.fs, &v.manifest, fixture, market, until, v.log.index)
	if err == nil && until.IsZero() {
		v.log.steps.paths.Put(key, p, p.Memory())
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
func (l *changeLog) index(s snapshot.Segment) (*table.Index, error) {
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
	if !d.library.paths || !d.indexing.TryLock() {
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
