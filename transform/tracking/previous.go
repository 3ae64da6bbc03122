package tracking

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/bounds"
)

// ErrNoPrevious: the cycle with the states to continue is missing.
var ErrNoPrevious = errors.New("the cycle to continue is missing")

// findPrevious finds the canonical cycle whose states this one continues. A cycle transformed
// before continues the same one again; any other continues the raw cycle before it. If a killed
// run left raw cycles untransformed, they are transformed first, so that the result is the same
// as without the kill.
func (c *Cycle) findPrevious(ctx context.Context) error {
	if c.Before != nil {
		return c.samePrevious()
	}
	id := c.Archive.Cycle().Previous
	var missing []layout.CycleID // newest first
	for id != "" && len(missing) < bounds.MaxBehind {
		m, found, err := canonicalOf(c.Root, id)
		if err != nil {
			return c.remedy(err)
		}
		if found {
			c.beginFrom(&m)
			break
		}
		missing = append(missing, id)
		if id, err = previousOf(c.Root, id); err != nil {
			return err
		}
	}
	if c.Backfill == nil {
		return nil
	}
	for _, id := range slices.Backward(missing) {
		if err := c.backfill(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// beginFrom continues the states of a canonical cycle, unless they are of a former provider of
// the account: its fixtures have other ids, and end at once.
func (c *Cycle) beginFrom(m *snapshot.Manifest) {
	c.previous, c.Header.PreviousCycle, c.Header.PreviousDigest, c.Header.PreviousUnpublished = nil, "", "", false
	if m.Provider != c.Archive.Cycle().Provider {
		return
	}
	c.previous, c.Header.PreviousCycle, c.Header.PreviousDigest = m, m.CycleID, m.Tables[statesTable].Digest
	newest, found, err := snapshot.Head(c.Root) // publish reports an error
	c.Header.PreviousUnpublished = err == nil && (!found || newest.CycleID < m.CycleID)
}

// samePrevious continues the same cycle as an earlier run of this one.
func (c *Cycle) samePrevious() error {
	id := c.Before.PreviousCycle
	if id == "" {
		return nil
	}
	m, found, err := canonicalOf(c.Root, id)
	if err != nil {
		return err
	}
	if digest := m.Tables[statesTable].Digest; !found || digest != c.Before.PreviousDigest {
		return fmt.Errorf("%w: %s", ErrNoPrevious, id)
	}
	c.previous, c.Header.PreviousCycle, c.Header.PreviousDigest = &m, id, c.Before.PreviousDigest
	c.Header.PreviousUnpublished = c.Before.PreviousUnpublished
	return nil
}

// canonicalOf returns the header of a canonical cycle; false if it does not exist.
func canonicalOf(f durable.ReadFS, id layout.CycleID) (snapshot.Manifest, bool, error) {
	m, _, err := snapshot.OpenCanonical(f, id)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	return m, err == nil, err
}

// remedy adds the command for the repair to the error of a damaged canonical cycle.
func (c *Cycle) remedy(err error) error {
	if snapshot.IsDamage(err) {
		return fmt.Errorf("%w: repair it with mkt recover --tenant %s --product %s", err, c.Header.ClientID, c.Header.Product)
	}
	return err
}

// backfill transforms an earlier cycle, and continues it.
func (c *Cycle) backfill(ctx context.Context, id layout.CycleID) error {
	if done, err := c.Backfill(ctx, id); err != nil || !done {
		return err
	}
	m, found, err := canonicalOf(c.Root, id)
	if found {
		c.beginFrom(&m)
	}
	return err
}

// previousOf returns the raw cycle before one, "" if not known.
func previousOf(f durable.ReadFS, id layout.CycleID) (layout.CycleID, error) {
	a, err := raw.Open(f, id)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, raw.ErrCorrupt) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return a.Cycle().Previous, nil
}
