package inspect

import (
	"errors"
	"io/fs"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Cycle is the result of each step of one cycle.
type Cycle struct {
	Place
	CycleID   layout.CycleID     `json:"cycle_id"`
	Raw       *Raw               `json:"raw"`       // nil: missing, or an interrupted retrieval
	Canonical *snapshot.Manifest `json:"canonical"` // nil: missing
	Commit    *Commit            `json:"commit"`    // nil: never published
	Snapshot  *snapshot.Manifest `json:"snapshot"`  // nil: deleted by retention
	Damage    []string           `json:"damage"`
}

// Raw is the result of fetch.
type Raw struct {
	raw.Cycle
	File      string         `json:"file"` // folder, or pack
	Bytes     int64          `json:"bytes"`
	Endpoints map[string]int `json:"endpoints"` // accepted answers
	Rejected  map[string]int `json:"rejected"`  // refused answers, by reason
	FirstAt   *time.Time     `json:"first_fetched_at"`
	LastAt    *time.Time     `json:"last_fetched_at"`
}

// Commit is a commit record with its own hash.
type Commit struct {
	snapshot.Commit
	SHA256 string `json:"sha256"`
}

// ErrNoCycle is the error for a cycle without any folder.
var ErrNoCycle = errors.New("no such cycle")

// Find returns the cycle of a moment: a publication's, or by its id an unpublished one. Its errors
// include [snapshot.ErrUnknown].
func Find(p Place, m snapshot.Moment) (Cycle, error) {
	commit, err := snapshot.Find(p.Root, m)
	if err == nil {
		return CycleOf(p, commit.CycleID, &commit)
	}
	if _, _, notAnID := layout.ParseCycleID(m.String()); notAnID != nil || !errors.Is(err, snapshot.ErrUnknown) {
		return Cycle{}, err
	}
	c, looked := CycleOf(p, layout.CycleID(m.String()), nil)
	if errors.Is(looked, ErrNoCycle) {
		return c, err // the message names the nearest publications
	}
	return c, looked
}

// CycleOf looks for a cycle in every folder of the data root. commit is its publication, or nil. Its
// errors include [ErrNoCycle].
func CycleOf(p Place, id layout.CycleID, commit *snapshot.Commit) (Cycle, error) {
	c := Cycle{Place: p, CycleID: id, Damage: []string{}}
	if commit != nil {
		c.Commit = &Commit{*commit, commit.SHA256}
	}
	for _, look := range []func() error{c.raw, c.canonical, c.snapshot} {
		err := look()
		switch {
		case snapshot.IsFault(err), errors.Is(err, raw.ErrCorrupt):
			c.Damage = append(c.Damage, err.Error())
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, raw.ErrNotSealed):
			return c, err
		}
	}
	if c.Raw == nil && c.Canonical == nil && c.Snapshot == nil && c.Commit == nil && len(c.Damage) == 0 {
		return c, ErrNoCycle
	}
	return c, nil
}

func (c *Cycle) raw() error {
	a, err := raw.Open(c.Root, c.CycleID)
	if err != nil {
		return err
	}
	r := &Raw{Cycle: a.Cycle(), File: layout.Cycle(layout.RawDir, c.CycleID), Endpoints: map[string]int{}, Rejected: map[string]int{}}
	if packed, err := durable.Exists(c.Root, r.File); err == nil && !packed {
		r.File = layout.RawPack(c.CycleID)
	}
	for _, answer := range a.Responses() {
		r.Bytes += answer.Bytes
		if !answer.Accepted() {
			r.Rejected[answer.Rejected]++
			continue
		}
		r.Endpoints[answer.Endpoint]++
		at := answer.FetchedAt
		if r.FirstAt == nil || at.Before(*r.FirstAt) {
			r.FirstAt = &at
		}
		if r.LastAt == nil || at.After(*r.LastAt) {
			r.LastAt = &at
		}
	}
	c.Raw = r
	return nil
}

func (c *Cycle) canonical() error {
	m, _, err := snapshot.OpenCanonical(c.Root, c.CycleID)
	if err == nil {
		c.Canonical = &m
	}
	return err
}

func (c *Cycle) snapshot() error {
	if c.Commit == nil {
		return nil
	}
	m, err := snapshot.Open(c.Root, c.Commit.Commit)
	if err == nil {
		c.Snapshot = &m
	}
	return err
}
