package transform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// ErrOtherRows: the cycle was published, and transforming it again does not give what was published.
var ErrOtherRows = errors.New("transforming it again does not give what was published")

// findPublication finds the publication of a cycle that is to be transformed again because its rows are
// gone. A cycle newer than the newest publication has none. A damaged record is the matter of others.
func (r *run) findPublication() error {
	if r.before != nil || r.published.Version > 0 {
		return nil
	}
	head, found, err := snapshot.Head(r.Root)
	if err == nil && found && r.cycle <= head.CycleID {
		var c snapshot.Commit
		if c, found, err = snapshot.OfCycle(r.Root, head, r.cycle); found {
			r.published = c
			r.mustMatch = r.mustMatch || !r.isBackfill
		}
	}
	if snapshot.IsFault(err) || snapshot.IsDamage(err) {
		return nil
	}
	return err
}

// likePublished gives the header of a published cycle the time and the version of the binary of its first
// run, which were deleted with it: the same rows then have the same bytes. The publication's manifest has
// both. Without it, the hash in the commit record proves the time.
func (r *run) likePublished(m *snapshot.Manifest) error {
	c := r.published
	if c.CanonicalSHA256 == "" {
		return nil
	}
	if r.Product == football.LiveIntelligence && c.FixturesRoot == "" { // an older version published it
		m.FixturesRoot = ""
	}
	from, to := c.PublishedAt.Add(-maxProcessing), c.PublishedAt
	if newest := m.ProviderFetchedAt; newest != nil && newest.After(from) {
		from = *newest
	}
	if first, err := snapshot.Open(r.Root, c); err == nil && first.ProcessedAt != nil {
		m.BinaryVersion, from, to = first.BinaryVersion, *first.ProcessedAt, *first.ProcessedAt
	}
	if m.FixturesRoot == "" || m.FixturesRoot == c.FixturesRoot {
		versions, err := r.versions(m.BinaryVersion)
		if err != nil {
			return err
		}
		like := *m
		for _, like.BinaryVersion = range versions {
			if at, found := processedAt(like, c.CanonicalSHA256, from, to); found {
				m.ProcessedAt, m.BinaryVersion = &at, like.BinaryVersion
				return nil
			}
		}
	}
	if !r.mustMatch { // a newer cycle continues it, or a replay compares it
		return nil
	}
	return fmt.Errorf("%w as version %d: other rules, another version of mkt or another live.details made it, or the cycles that it continues are not kept; it was not written", ErrOtherRows, c.Version)
}

// versions returns the versions of the binary that may have made the cycle: those of the canonical cycles before and
// after it, and this one.
func (r *run) versions(this string) (all []string, err error) {
	cycles, err := snapshot.CyclesIn(r.Root, layout.CanonicalDir)
	if err != nil {
		return nil, err
	}
	after, _ := slices.BinarySearch(cycles, r.cycle)
	for _, id := range cycles[max(0, after-1):min(len(cycles), after+1)] {
		if m, _, err := snapshot.OpenCanonical(r.Root, id); err == nil && !slices.Contains(all, m.BinaryVersion) {
			all = append(all, m.BinaryVersion)
		}
	}
	if !slices.Contains(all, this) {
		all = append(all, this)
	}
	return all, nil
}

const (
	// maxProcessing bounds the search of processedAt, which then takes some seconds.
	maxProcessing = time.Minute
	timeForm      = "2006-01-02T15:04:05.000Z"
)

// processedAt finds the processed_at with which a header has a hash. The latest is tried first.
func processedAt(m snapshot.Manifest, sum string, from, to time.Time) (at time.Time, found bool) {
	m.ProcessedAt = &to
	data, err := layout.EncodeHeader(m)
	want, notHex := hex.DecodeString(sum)
	key := []byte(`"processed_at": "`)
	place := bytes.Index(data, key) + len(key)
	if err != nil || notHex != nil || place < len(key) {
		return at, false
	}
	for at = to.UTC(); !at.Before(from); at = at.Add(-time.Millisecond) {
		copy(data[place:], at.Format(timeForm))
		if got := sha256.Sum256(data); bytes.Equal(got[:], want) {
			return at, true
		}
	}
	return at, false
}
