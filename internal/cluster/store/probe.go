package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Probed is the result of a measurement.
type Probed struct {
	Took  time.Duration // to store a small object
	Ahead time.Duration // how far this clock is ahead of the store's; negative if it is behind
}

// Probe checks whether the store can be read and written. The error is [object.ErrUnsafe] if it
// overwrites an object although it must only be created if absent. Probe leaves nothing behind.
func (s *Store) Probe(ctx context.Context) error {
	_, err := s.Measure(ctx)
	return err
}

// Measure is [Store.Probe], and also measures the time of a write and the store's clock.
func (s *Store) Measure(ctx context.Context) (p Probed, err error) {
	key := "probe/" + rand.Text()
	left := true
	defer func() {
		if left {
			s.objects.Delete(context.WithoutCancel(ctx), key)
		}
	}()
	began := s.now()
	if err := s.objects.Create(ctx, key, []byte("first\n")); err != nil {
		return p, err
	}
	p.Took = s.now().Sub(began)
	err = s.objects.Create(ctx, key, []byte("second\n"))
	if err == nil {
		return p, object.ErrUnsafe
	}
	there, read := s.objects.Get(ctx, key)
	switch {
	case read != nil:
		return p, read
	case string(there) != "first\n":
		return p, object.ErrUnsafe
	case errors.Is(err, object.ErrAway), errors.Is(err, object.ErrRefused), errors.Is(err, object.ErrNoBucket), errors.Is(err, object.ErrFull):
		return p, err
	}
	at, err := s.objects.Stored(ctx, key)
	if err != nil {
		return p, err
	}
	// The store's time may be in whole seconds.
	p.Ahead = began.Add(p.Took / 2).Sub(at.Add(time.Second / 2)).Truncate(time.Second)
	left = false
	return p, s.objects.Delete(ctx, key)
}

// IDKeyFingerprint returns the fingerprint of the key that made the ids in the store, "" if
// there is none yet.
func (s *Store) IDKeyFingerprint(ctx context.Context) (string, error) {
	data, err := s.objects.Get(ctx, layout.IDKeyFingerprintFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return layout.ParseIDKeyFingerprint(data), err
}

// Compare returns the newest commit of a root and of the store; Version is 0 if there is none.
// Its errors are those of [Dataset.Sync]. f may be nil, for a root that does not exist.
func (d *Dataset) Compare(ctx context.Context, f durable.ReadFS) (here, there snapshot.Commit, err error) {
	if f != nil {
		if here, _, err = snapshot.Last(f); err == nil {
			err = d.compare(ctx, here)
		}
		if err != nil {
			return here, there, err
		}
	}
	if there, _, err = d.Head(ctx, here.Version); there.Version == here.Version {
		there = here
	}
	if err == nil && there.Version == 0 {
		err = d.neverPublished(ctx)
	}
	return here, there, err
}

// Lost counts the packs without a commit among the newest publications: other publications took
// their numbers. [Dataset.Collect] deletes them.
func (d *Dataset) Lost(ctx context.Context, head snapshot.Commit) (n int, bytes int64, err error) {
	c := &collector{d: d, ctx: ctx, o: CollectOptions{Lost: true}}
	number := fmt.Sprintf("%020d", head.Version)
	_, lost, err := c.packs(number[:len(number)-3], snapshot.Commit{}, head)
	for _, o := range lost {
		bytes += o.Size
	}
	return len(lost), bytes, err
}
