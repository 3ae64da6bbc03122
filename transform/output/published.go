package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// ErrOtherRows: the cycle was published, and transforming it again does not give what was published.
var ErrOtherRows = errors.New("transforming it again does not give what was published")

// FindPublication finds the publication of a cycle that is to be transformed again because its rows are
// gone. A cycle newer than the newest publication has none. A damaged record is the matter of others.
func FindPublication(root durable.ReadFS, cycle layout.CycleID) (c snapshot.Commit, found bool, err error) {
	head, found, err := snapshot.Head(root)
	if err != nil || !found || cycle > head.CycleID {
		found = false
	} else {
		c, found, err = snapshot.OfCycle(root, head, cycle)
	}
	if snapshot.IsFault(err) || snapshot.IsDamage(err) {
		err = nil
	}
	return c, found, err
}

// LikePublished gives the header of a published cycle the time and the version of the binary of its first
// run, which were deleted with it: the same rows then have the same bytes. The publication's manifest has
// both. Without it, the hash in the commit record proves the time. If mustMatch, other rows are an error.
func LikePublished(root durable.ReadFS, c snapshot.Commit, m *snapshot.Manifest, mustMatch bool) error {
	if c.CanonicalSHA256 == "" {
		return nil
	}
	if m.Product == football.LiveIntelligence && c.FixturesRoot == "" { // an older version published it
		m.FixturesRoot = ""
	}
	from, to := c.PublishedAt.Add(-maxProcessing), c.PublishedAt
	if newest := m.ProviderFetchedAt; newest != nil && newest.After(from) {
		from = *newest
	}
	if first, err := snapshot.Open(root, c); err == nil && first.ProcessedAt != nil {
		m.BinaryVersion, from, to = first.BinaryVersion, *first.ProcessedAt, *first.ProcessedAt
	}
	if m.FixturesRoot == "" || m.FixturesRoot == c.FixturesRoot {
		versions, err := versions(root, m.CycleID, m.BinaryVersion)
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
	if !mustMatch { // a newer cycle continues it, or a replay compares it
		return nil
	}
	return fmt.Errorf("%w as version %d: other rules, another version of mkt or another live.details made it, or the cycles that it continues are not kept; it was not written", ErrOtherRows, c.Version)
}

// versions returns the versions of the binary that may have made the cycle: those of the canonical cycles before and
// after it, and this one.
func versions(root durable.ReadFS, cycle layout.CycleID, this string) (all []string, err error) {
	cycles, err := snapshot.CyclesIn(root, layout.CanonicalDir)
	if err != nil {
		return nil, err
	}
	after, _ := slices.BinarySearch(cycles, cycle)
	for _, id := range cycles[max(0, after-1):min(len(cycles), after+1)] {
		if m, _, err := snapshot.OpenCanonical(root, id); err == nil && !slices.Contains(all, m.BinaryVersion) {
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
