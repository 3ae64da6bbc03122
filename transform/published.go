package transform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// ErrOtherRows: the cycle was published, and transforming it again does not give the rows of its
// publication.
var ErrOtherRows = errors.New("transforming it again does not give the rows that were published")

// maxProcessing bounds the search for the time at which a cycle was processed: some seconds of work.
const maxProcessing = time.Minute

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
// both. Without it, the hash in the commit record proves the right time: the first run was between the
// newest retrieval and the publication.
func (r *run) likePublished(m *snapshot.Manifest) error {
	c := &r.published
	if c.CanonicalSHA256 == "" {
		return nil
	}
	if r.Product == football.LiveIntelligence {
		if c.FixturesRoot == "" { // an older version published it
			m.FixturesRoot = ""
		} else if m.FixturesRoot != c.FixturesRoot {
			return r.otherRows()
		}
	}
	versions := []string{m.BinaryVersion}
	if before := r.result.previousHeader.BinaryVersion; before != "" && before != m.BinaryVersion {
		versions = append(versions, before)
	}
	from, to := c.PublishedAt.Add(-maxProcessing), c.PublishedAt
	if newest := m.ProviderFetchedAt; newest != nil && newest.After(from) {
		from = *newest
	}
	if first, err := snapshot.Open(r.Root, *c); err == nil && first.ProcessedAt != nil {
		versions, from, to = []string{first.BinaryVersion}, *first.ProcessedAt, *first.ProcessedAt
	}
	first := *m
	for _, first.BinaryVersion = range versions {
		at, found, err := processedAt(&first, from, to, c.CanonicalSHA256)
		if err != nil {
			return err
		}
		if found {
			m.ProcessedAt, m.BinaryVersion = &at, first.BinaryVersion
			return nil
		}
	}
	if m.FixturesRoot != "" {
		return nil // it has the rows, and a header of this build
	}
	return r.otherRows()
}

// otherRows is the error if the rows that were published were asked for. A newer cycle that continues
// these needs them whatever they are.
func (r *run) otherRows() error {
	if !r.mustMatch {
		return nil
	}
	return fmt.Errorf("%w as version %d: other rules, another version of mkt or another live.details made them; nothing was written", ErrOtherRows, r.published.Version)
}

// timeForm is how headers write times.
const timeForm = "2006-01-02T15:04:05.000Z"

// processedAt finds the processed_at with which a header has a hash, beginning with the latest.
func processedAt(m *snapshot.Manifest, from, to time.Time, sum string) (at time.Time, found bool, err error) {
	like := *m
	like.ProcessedAt = &to
	data, err := layout.EncodeHeader(like)
	if err != nil {
		return at, false, err
	}
	want, err := hex.DecodeString(sum)
	if err != nil {
		return at, false, err
	}
	place := bytes.Index(data, []byte(`"processed_at": "`)) + len(`"processed_at": "`)
	for at = to.UTC(); !at.Before(from); at = at.Add(-time.Millisecond) {
		copy(data[place:], at.Format(timeForm))
		if got := sha256.Sum256(data); bytes.Equal(got[:], want) {
			return at, true, nil
		}
	}
	return at, false, nil
}
