// Package past finds what was published at a past time in the datasets of a data root, and whether
// its snapshots are still kept. As of which time a server then answers is [mkt/serve/asof].
package past

import (
	"errors"
	"fmt"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// ErrCollected: retention has deleted the snapshot of a publication.
var ErrCollected = errors.New("its snapshot is not kept any more; mkt inspect lists those that are")

// TimeOf returns the time of a moment. That of a cycle is when it was published, the latest time if
// several accounts have one. A version can name a publication only if there is one dataset. An error
// names the flag that the moment is from.
func TimeOf(datasets []dataset.Dataset, flag string, m snapshot.Moment) (at time.Time, err error) {
	if at, named := m.Time(); named {
		return at, nil
	}
	if !m.IsCycle() && len(datasets) > 1 {
		return at, terminal.Usagef("%s %s: it means a different time for each account and product: give a time or a cycle id", flag, m)
	}
	var errs []error
	for _, p := range datasets {
		c, err := Find(p, m)
		if err != nil {
			errs = append(errs, err)
		} else if c.PublishedAt.After(at) {
			at = c.PublishedAt
		}
	}
	if at.IsZero() {
		return at, fmt.Errorf("%s: %w", flag, errors.Join(errs...))
	}
	return at, nil
}

// Find returns the publication of a dataset at a moment.
func Find(p dataset.Dataset, m snapshot.Moment) (snapshot.Commit, error) {
	root, err := p.Open()
	if err != nil {
		return snapshot.Commit{}, err
	}
	defer root.Close()
	c, err := snapshot.Find(root, m)
	if err != nil {
		return c, fmt.Errorf("%s: %w", p, err)
	}
	return c, nil
}

// Open opens a dataset to read its publication at a moment. The error is [ErrCollected] if its
// snapshot is not kept.
func Open(p dataset.Dataset, m snapshot.Moment) (*durable.Disk, snapshot.Commit, error) {
	root, err := p.Open()
	if err != nil {
		return nil, snapshot.Commit{}, err
	}
	c, err := snapshot.Find(root, m)
	if err == nil {
		var kept bool
		if kept, err = snapshot.IsKept(root, c); err == nil && !kept {
			err = fmt.Errorf("version %d, %s: %w", c.Version, c.CycleID, ErrCollected)
		}
	}
	if err != nil {
		root.Close()
		return nil, c, fmt.Errorf("%s: %w", p, err)
	}
	return root, c, nil
}

// IsKept reports whether the snapshot of a publication is kept. The error is
// [snapshot.ErrDamaged] if it is damaged.
func IsKept(p dataset.Dataset, c snapshot.Commit) (bool, error) {
	root, err := p.Open()
	if err != nil {
		return false, err
	}
	defer root.Close()
	return snapshot.IsKept(root, c)
}

// Publications counts the publications of a period, with the one that is current when it begins.
type Publications struct {
	Kept, Gone, Damaged int
}

// Add adds those of another dataset.
func (n *Publications) Add(o Publications) {
	n.Kept, n.Gone, n.Damaged = n.Kept+o.Kept, n.Gone+o.Gone, n.Damaged+o.Damaged
}

// PublicationsOf counts the publications of a dataset in a period.
func PublicationsOf(p dataset.Dataset, from, to time.Time) (n Publications, err error) {
	last, err := Find(p, snapshot.At(to))
	if errors.Is(err, snapshot.ErrUnknown) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	root, err := p.Open()
	if err != nil {
		return n, err
	}
	defer root.Close()
	for c, err := range snapshot.Backward(root, last) {
		there := false
		if err == nil {
			there, err = snapshot.IsKept(root, c)
		}
		switch {
		case snapshot.IsFault(err) || snapshot.IsDamage(err):
			n.Damaged++
		case err != nil:
			return n, fmt.Errorf("%s: %w", p, err)
		case there:
			n.Kept++
		default:
			n.Gone++
		}
		if !c.PublishedAt.IsZero() && !c.PublishedAt.After(from) {
			break
		}
	}
	return n, nil
}
