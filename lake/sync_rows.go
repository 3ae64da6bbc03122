package lake

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// write writes the rows of a publication. previous has the hashes of the publication before. next
// has its own, and is nil if the lake lacks its rows.
func (s *syncer) write(c snapshot.Commit, kept bool, previous rowHashes) (status string, next rowHashes, err error) {
	of := publication{s.ClientID, string(s.Product), int64(c.Version), string(c.CycleID), c.PublishedAt}
	changes := eventsComplete
	if s.live == nil {
		complete, err := s.writeChanges(account{of.ClientID, of.Product, of.Version}, c)
		if err != nil {
			return "", nil, err
		}
		if !complete {
			// Without the events nobody could tell which fixtures were removed.
			changes, previous = eventsIncomplete, nil
		}
	}
	// An append of live data has whole publications, even if the run was stopped after it.
	appended := s.live != nil && s.live.last >= c.Version
	switch {
	case appended:
		status = s.live.property(propCoverage)
	case !kept:
		status = coverageMissing
	case previous != nil:
		status = coverageRefreshed
	case s.live == nil && s.begun(c.Version):
		status = coverageMissing // nobody knows any more which rows the other tables need
	default:
		status = coverageAll
	}
	if status != coverageMissing && !appended {
		m, err := s.openKept(c)
		if err != nil {
			return "", nil, err
		}
		err = s.each(c, func() error {
			if s.live != nil {
				return s.writeLive(of, c, m)
			}
			next = rowHashes{}
			return s.writeFixtures(of, c, m, previous, next)
		})
		if err != nil {
			return "", nil, err
		}
	}
	return status, next, s.publications.write(c.Version, &of, &recordRow{c.HistoryID, c.SHA256, c.ManifestSHA256, status, changes})
}

// begun reports whether a stopped run appended only the refreshed rows of a publication to some
// tables.
func (s *syncer) begun(version uint64) bool {
	return slices.ContainsFunc(s.tables(), func(t appender) bool {
		return t.appended() >= version && t.property(propCoverage) != coverageAll
	})
}

func (s *syncer) writeFixtures(of publication, c snapshot.Commit, m snapshot.Manifest, previous, next rowHashes) error {
	refreshed := map[string]bool{}
	err := eachRow(s.Root, c, m, layout.FixturesFile, func(row *table.FixtureRow) error {
		hash := hashOf(row)
		next[row.FixtureID] = hash
		if before, has := previous[row.FixtureID]; has && before == hash {
			return nil
		}
		refreshed[row.FixtureID] = true
		return s.fixtures.write(c.Version, &of, row)
	})
	if err != nil {
		return err
	}
	return eachRow(s.Root, c, m, layout.MarketsFile, func(row *table.MarketRow) error {
		if !refreshed[row.FixtureID] {
			return nil
		}
		return s.markets.write(c.Version, &of, row)
	})
}

// writeLive writes every row: the cycle looked at each fixture, and says when.
func (s *syncer) writeLive(of publication, c snapshot.Commit, m snapshot.Manifest) error {
	return eachRow(s.Root, c, m, layout.LiveFile, func(row *table.LiveRow) error {
		return s.live.write(c.Version, &of, row)
	})
}

// writeChanges writes the change events of a publication and reports whether all of them are
// still there.
func (s *syncer) writeChanges(of account, c snapshot.Commit) (complete bool, err error) {
	if c.Segment == nil {
		return true, nil
	}
	write := func(events iter.Seq2[*table.EventRow, error]) (n uint64, err error) {
		for row, err := range events {
			if err != nil {
				return n, err
			}
			if uint64(row.Seq) > c.Segment.Last {
				break
			}
			n++
			if err := s.changes.write(c.Version, &of, row); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	wanted := c.Segment.Last - c.Segment.First + 1
	own, err := durable.Exists(s.Root, c.Segment.File)
	if err == nil && own {
		err = snapshot.VerifySegment(s.Root, *c.Segment)
	}
	if err != nil {
		return false, fmt.Errorf("publication %d: %w", c.Version, err)
	}
	if own {
		n, err := write(snapshot.Rows[table.EventRow](s.Root, c.Segment.File))
		return n == wanted, err
	}
	// Its segment was compacted into another one, or retention deleted it.
	window := s.head.Changes
	at := slices.IndexFunc(window, func(g snapshot.Segment) bool { return g.Last >= c.Segment.First })
	if at < 0 || window[at].First > c.Segment.Last {
		return false, nil
	}
	n, err := write(snapshot.Events(s.Root, s.head, max(c.Segment.First, window[at].First)-1))
	return n == wanted, err
}

// appendSteps appends the steps of all publications that the table lacks, in one append. Steps
// are kept for longer than snapshots, and a compacted file has those of many publications.
func (s *syncer) appendSteps(ctx context.Context, newest snapshot.Commit) error {
	if s.steps.last >= newest.Version {
		return nil
	}
	var before time.Time
	if s.steps.last > 0 {
		c, err := snapshot.ReadCommit(s.Root, s.steps.last)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		before = c.PublishedAt
	}
	defer s.steps.discard()
	s.steps.begin(s.steps.last + 1)
	for _, segment := range s.head.Steps {
		if !segment.At.After(before) {
			continue
		}
		if err := snapshot.VerifySegment(s.Root, segment); err != nil {
			return s.explained(err)
		}
		for row, err := range snapshot.Rows[table.StepRow](s.Root, segment.File) {
			if err != nil {
				return s.explained(err)
			}
			by := uint64(row.Version)
			if row.Before {
				by++ // the state found by the next publication
			}
			if err := s.steps.write(by, &owner{s.ClientID, string(s.Product)}, row); err != nil {
				return err
			}
		}
	}
	p := iceberg.Properties{propVersion: strconv.FormatUint(newest.Version, 10), propFirst: strconv.FormatUint(s.steps.last+1, 10),
		propCycle: string(newest.CycleID), propCommit: newest.SHA256, propManifest: newest.ManifestSHA256}
	size, err := s.steps.commit(ctx, p)
	if err != nil {
		return err
	}
	s.sum.Bytes += size
	s.sum.Rows[s.steps.name()] += s.steps.rows()
	return nil
}

// openKept opens the manifest of a snapshot that was kept a moment ago.
func (s *syncer) openKept(c snapshot.Commit) (m snapshot.Manifest, err error) {
	err = s.each(c, func() error {
		m, err = snapshot.Open(s.Root, c)
		return err
	})
	return m, err
}

// each reads a snapshot. The error is errGone if retention deleted it meanwhile.
func (s *syncer) each(c snapshot.Commit, read func() error) error {
	err := read()
	if err == nil {
		return nil
	}
	if kept, keptErr := snapshot.IsKept(s.Root, c); keptErr == nil && !kept {
		return errGone
	}
	return fmt.Errorf("publication %d: %w", c.Version, s.explained(err))
}

// explained adds the repair of a damaged file to its error.
func (s *syncer) explained(err error) error {
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w; run \"mkt recover --tenant %s --product %s\", then sync again", err, s.ClientID, s.Product)
	}
	return err
}

// eachRow calls do with every row of a table of a snapshot, after a check of its hash.
func eachRow[T table.Row](root durable.ReadFS, c snapshot.Commit, m snapshot.Manifest, file string, do func(*T) error) error {
	for row, err := range snapshot.VerifiedRows[T](root, c.Dir(), m, file) {
		if err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

var fixtureColumns = parquet.SchemaOf(table.FixtureRow{})

// hashOf returns a hash of every column of a fixture.
func hashOf(row *table.FixtureRow) (sum [sha256.Size]byte) {
	h := sha256.New()
	var head [10]byte
	var text []byte
	for _, v := range fixtureColumns.Deconstruct(nil, row) {
		text = v.AppendBytes(text[:0])
		head[0], head[1] = byte(v.RepetitionLevel()), byte(v.DefinitionLevel())
		binary.LittleEndian.PutUint64(head[2:], uint64(len(text)))
		h.Write(head[:])
		h.Write(text)
	}
	h.Sum(sum[:0])
	return sum
}
