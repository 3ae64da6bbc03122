package lake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	icetable "github.com/apache/iceberg-go/table"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Options are the source and the target of a sync.
type Options struct {
	ClientID string
	Product  football.Product
	Root     durable.ReadFS // the folder of the account's product
	Lake     string         // folder of the lake, which is made if it is missing
	DryRun   bool           // only count what a sync would append

	// Location is the address at which engines will read the tables, such as s3://bucket/lake.
	// The tables name their files by it, and somebody copies the folder there. "" is the folder
	// itself.
	Location string

	// Snapshots is the number of snapshots that a table keeps; 0 means 500. Each append rewrites
	// the metadata, which names them all. Rows are only appended, so deleting a snapshot deletes
	// no row.
	Snapshots int

	Progress func(done, total int) // of the publications; may be nil
}

// Summary is the result of a sync.
type Summary struct {
	ClientID string           `json:"client_id"`
	Product  football.Product `json:"product"`

	// First and Last are the first and the last appended publication; 0 if there are none.
	First uint64 `json:"first_version,omitempty"`
	Last  uint64 `json:"last_version,omitempty"`
	// Newest is the newest publication in the lake.
	Newest uint64 `json:"newest_version"`
	// Before is the number of publications deleted by retention before the first sync: the lake
	// begins after them.
	Before uint64 `json:"deleted_before_first_sync,omitempty"`
	// Missing are the publications deleted by retention between two syncs.
	Missing []Range `json:"missing,omitempty"`

	Appends int              `json:"appends"`
	Rows    map[string]int64 `json:"rows"` // by table
	Bytes   int64            `json:"bytes"`
}

// Range is a range of versions.
type Range struct {
	First uint64 `json:"first_version"`
	Last  uint64 `json:"last_version"`
}

// ErrOther is the error of a lake whose publications are not of the data root's history.
var ErrOther = errors.New("the lake has publications of another history: a backup of the data root was restored, or the lake is another installation's; sync into another folder")

// ErrPart is the error of a data root without the publications that the lake needs next. Other
// machines made them, and the root was only brought up to the newest one of the object store.
var ErrPart = errors.New("the data root is a copy of an object store and lacks it: sync from a folder kept up to date by mkt pull --data")

// perAppend is the most publications of one append. A live publication has few rows and comes
// every few seconds: with an append for each, there would be more metadata than data.
func perAppend(p football.Product) int {
	if p == football.LiveIntelligence {
		return 450 // an hour
	}
	return 1
}

// missingPerAppend is the most publications without rows of one append.
const missingPerAppend = 10_000

// Sync appends the publications that the lake lacks, oldest first.
func Sync(ctx context.Context, o Options) (Summary, error) {
	s := &syncer{Options: o, sum: Summary{ClientID: o.ClientID, Product: o.Product, Rows: map[string]int64{}}}
	if s.Progress == nil {
		s.Progress = func(int, int) {}
	}
	head, found, err := snapshot.Head(o.Root)
	if err != nil || !found {
		return s.sum, err
	}
	folder, err := filepath.Abs(o.Lake)
	if err != nil {
		return s.sum, err
	}
	s.Lake, s.Location = folder, strings.TrimRight(s.Location, "/")
	if s.Location != "" {
		if err := CheckLocation(s.Location); err != nil {
			return s.sum, fmt.Errorf("location: %w", err)
		}
	}
	if o.DryRun {
		return s.sum, s.dryRun(ctx, head)
	}
	disk, err := durable.OpenRoot(folder)
	if err != nil {
		return s.sum, fmt.Errorf("lake: %w", err)
	}
	defer disk.Close()
	if err := durable.MkdirAllSync(disk, o.ClientID); err != nil {
		return s.sum, fmt.Errorf("lake: %w", err)
	}
	lock, err := disk.Lock(o.ClientID + "/" + string(o.Product) + ".lock")
	if err != nil {
		return s.sum, fmt.Errorf("lake: another sync of %s %s: %w", o.ClientID, o.Product, err)
	}
	defer lock.Close()
	if err := s.open(ctx, disk); err != nil {
		return s.sum, err
	}
	for _, t := range s.tables() {
		if t.appended() < s.publications.last {
			return s.sum, fmt.Errorf("table %s.%s has the publications up to %d, and %s up to %d: it was replaced by an older copy; restore all tables of the account from one backup, or sync into another folder",
				s.ClientID, t.name(), t.appended(), s.publications.name(), s.publications.last)
		}
	}
	pending, err := s.pending(head, s.publications.last, s.publications.property(propCommit))
	if err != nil {
		return s.sum, err
	}
	for _, t := range s.all() {
		if err := t.removeLeftovers(); err != nil {
			return s.sum, err
		}
		if err := repairHint(disk, o.ClientID+"/"+t.name()+"/metadata", t.metadata()); err != nil {
			return s.sum, fmt.Errorf("lake: %w", err)
		}
	}
	err = s.appendAll(ctx, pending)
	s.sum.Newest = s.publications.last
	if err != nil {
		return s.sum, err
	}
	for _, t := range s.all() {
		if err := t.expire(ctx, cmp.Or(s.Snapshots, 500)); err != nil {
			return s.sum, err
		}
	}
	return s.sum, nil
}

// syncer is the state of a sync.
type syncer struct {
	Options
	sum Summary

	steps        *lakeTable[owner, table.StepRow] // these four of the market engine
	fixtures     *lakeTable[publication, table.FixtureRow]
	markets      *lakeTable[publication, table.MarketRow]
	changes      *lakeTable[account, table.EventRow]
	live         *lakeTable[publication, table.LiveRow] // of live intelligence
	publications *lakeTable[publication, recordRow]

	head     snapshot.Manifest // of the newest publication whose snapshot is kept
	previous rowHashes         // of the publication read last; nil if the lake lacks it
}

// rowHashes has a hash of every row of the dataset, by fixture.
type rowHashes map[string][sha256.Size]byte

// dryRun counts the publications of a sync, and makes nothing.
func (s *syncer) dryRun(ctx context.Context, head snapshot.Commit) error {
	c, err := openCatalog(s.Lake, s.Location)
	if err != nil {
		return err
	}
	var last uint64
	var record string
	t, err := c.LoadTable(ctx, s.id("publications"))
	switch {
	case err == nil:
		record = t.Properties()[propCommit]
		if last, err = lastOf(t); err != nil {
			return err
		}
	case !errors.Is(err, catalog.ErrNoSuchTable):
		return fmt.Errorf("lake: %w", err)
	}
	s.sum.Newest = last
	pending, err := s.pending(head, last, record)
	if err != nil || len(pending) == 0 {
		return err
	}
	s.sum.First, s.sum.Last = pending[0].Version, pending[len(pending)-1].Version
	for _, p := range pending {
		kept, err := snapshot.IsKept(s.Root, p)
		if err != nil {
			return err
		}
		if !kept {
			s.isMissing(p.Version)
		}
	}
	return nil
}

// pending returns the publications after last, oldest first. The first sync begins with the
// oldest kept snapshot. record is the hash of last's commit record.
func (s *syncer) pending(head snapshot.Commit, last uint64, record string) ([]snapshot.Commit, error) {
	if last > head.Version {
		return nil, fmt.Errorf("publication %d is the newest of the data root, and the lake has %d: %w", head.Version, last, ErrOther)
	}
	continues := last > 0
	if continues {
		c := head
		var err error
		if last < head.Version {
			c, err = snapshot.ReadCommit(s.Root, last)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("publication %d: %w", last, ErrPart)
		}
		if err != nil {
			return nil, err
		}
		if c.SHA256 != record {
			return nil, fmt.Errorf("publication %d: %w", last, ErrOther)
		}
	} else {
		var wrong error
		before, _, err := snapshot.Search(s.Root, head, func(c snapshot.Commit) bool {
			kept, err := snapshot.IsKept(s.Root, c)
			wrong = errors.Join(wrong, err)
			return kept
		})
		if err := errors.Join(wrong, err); err != nil {
			return nil, err
		}
		last, s.sum.Before = before.Version, before.Version
	}
	var pending []snapshot.Commit
	for c, err := range snapshot.Backward(s.Root, head) {
		if c.Version <= last {
			break
		}
		if err != nil {
			return nil, err
		}
		pending = append(pending, c)
	}
	slices.Reverse(pending)
	if wanted := last + 1; continues && len(pending) > 0 && pending[0].Version != wanted {
		return nil, fmt.Errorf("publication %d: %w", wanted, ErrPart)
	}
	return pending, nil
}

var errGone = errors.New("retention deleted the snapshot while it was read")

func (s *syncer) appendAll(ctx context.Context, pending []snapshot.Commit) error {
	if len(pending) == 0 {
		return nil
	}
	newest := pending[len(pending)-1]
	kept, err := snapshot.IsKept(s.Root, newest)
	if err != nil {
		return err
	}
	if kept {
		if s.head, err = snapshot.Open(s.Root, newest); err != nil {
			return err
		}
	}
	if s.live == nil && kept {
		if err := s.appendSteps(ctx, newest); err != nil {
			return err
		}
	}
	if err := s.readPrevious(pending[0].Version); err != nil {
		return err
	}
	total := len(pending)
	for len(pending) > 0 {
		s.Progress(total-len(pending), total)
		n, err := s.appendSome(ctx, pending)
		if errors.Is(err, errGone) {
			s.previous = nil // it is read again, and found to be missing
			if err := s.readPrevious(pending[0].Version); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		pending = pending[n:]
	}
	s.Progress(total, total)
	return nil
}

// readPrevious reads the rows of the publication before version, if the lake has it and its
// snapshot is kept.
func (s *syncer) readPrevious(version uint64) error {
	if s.live != nil || s.publications.last == 0 || s.publications.last != version-1 || s.publications.property(propCoverage) == coverageMissing {
		return nil
	}
	c, err := snapshot.ReadCommit(s.Root, version-1)
	if err != nil {
		return err
	}
	kept, err := snapshot.IsKept(s.Root, c)
	if err != nil || !kept {
		return err
	}
	m, err := s.openKept(c)
	if errors.Is(err, errGone) {
		return nil
	}
	if err != nil {
		return err
	}
	all := rowHashes{}
	err = s.each(c, func() error {
		return eachRow(s.Root, c, m, layout.FixturesFile, func(row *table.FixtureRow) error {
			all[row.FixtureID] = hashOf(row)
			return nil
		})
	})
	if errors.Is(err, errGone) {
		return nil
	}
	s.previous = all
	return err
}

// appendSome makes one append for the first publications and returns how many it has.
func (s *syncer) appendSome(ctx context.Context, pending []snapshot.Commit) (n int, err error) {
	defer func() {
		for _, t := range s.tables() {
			t.discard()
		}
	}()
	first := pending[0].Version
	for _, t := range s.tables() {
		t.begin(first)
	}
	var status string
	var previous = s.previous
	var missing []uint64
	var last snapshot.Commit
	limit := perAppend(s.Product)
	for _, c := range pending {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		kept, err := snapshot.IsKept(s.Root, c)
		if err != nil {
			return 0, err
		}
		if n > 0 && kept != (status != coverageMissing) || n >= limit && kept || n >= missingPerAppend {
			break
		}
		var next rowHashes
		if status, next, err = s.write(c, kept, previous); err != nil {
			return 0, err
		}
		if status == coverageMissing {
			missing = append(missing, c.Version)
		}
		previous, last = next, c
		n++
	}
	p := iceberg.Properties{propVersion: strconv.FormatUint(last.Version, 10), propFirst: strconv.FormatUint(first, 10), propCycle: string(last.CycleID),
		propCommit: last.SHA256, propManifest: last.ManifestSHA256, propCoverage: status}
	rows, bytes := map[string]int64{}, int64(0)
	for _, t := range s.tables() {
		if t.appended() >= last.Version {
			continue // a stopped run appended it
		}
		size, err := t.commit(ctx, p)
		if err != nil {
			return 0, err
		}
		rows[t.name()], bytes = t.rows(), bytes+size
	}
	s.previous = previous
	if s.sum.First == 0 {
		s.sum.First = first
	}
	s.sum.Last = last.Version
	s.sum.Appends++
	s.sum.Bytes += bytes
	for name, count := range rows {
		s.sum.Rows[name] += count
	}
	for _, v := range missing {
		s.isMissing(v)
	}
	return n, nil
}

func (s *syncer) isMissing(version uint64) {
	if n := len(s.sum.Missing); n > 0 && s.sum.Missing[n-1].Last == version-1 {
		s.sum.Missing[n-1].Last = version
		return
	}
	s.sum.Missing = append(s.sum.Missing, Range{version, version})
}

// IsConflict reports whether another program changed a table at the same time. The same sync may
// succeed later.
func IsConflict(err error) bool { return errors.Is(err, icetable.ErrCommitFailed) }
