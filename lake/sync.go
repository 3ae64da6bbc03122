package lake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/hadoop"
	icetable "github.com/apache/iceberg-go/table"
	"github.com/parquet-go/parquet-go"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Options says what is read, and where the tables are.
type Options struct {
	ClientID string
	Product  football.Product
	Root     durable.ReadFS // the folder of the account's product
	Lake     string         // folder of the lake, which is made if it is missing
	DryRun   bool           // only count what a sync would append

	// Location is where engines will read the tables, such as s3://bucket/lake: the tables
	// name their files by it, and somebody copies the folder there. "" is the folder itself.
	Location string

	// Snapshots is how many snapshots a table keeps; 0 means 500. Its metadata, which every
	// append rewrites, names each. No row is deleted with a snapshot, because rows are only
	// appended.
	Snapshots int

	Progress func(done, total int) // of the publications; may be nil
}

// Summary is what a sync did.
type Summary struct {
	ClientID string           `json:"client_id"`
	Product  football.Product `json:"product"`

	// First and Last are the publications that were appended; 0 if there are none.
	First uint64 `json:"first_version,omitempty"`
	Last  uint64 `json:"last_version,omitempty"`
	// Newest is the newest publication in the lake.
	Newest uint64 `json:"newest_version"`
	// Before is the number of publications that retention deleted before the first sync:
	// the lake begins after them.
	Before uint64 `json:"deleted_before_first_sync,omitempty"`
	// Missing are publications that retention deleted between two syncs.
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

// ErrOther: the data root is not the one whose publications the lake has.
var ErrOther = errors.New("the lake has publications of another history: a backup of the data root was restored, or the lake is another installation's; sync into another folder")

// ErrPart: the data root lacks publications that the lake needs next, because other machines made
// them and it was only brought up to the newest one of the object store.
var ErrPart = errors.New("the data root is a copy of an object store and does not have it: sync from a folder that mkt pull --data keeps up to date")

// perAppend is how many publications an append has at most. A publication of live data has
// few rows and comes every few seconds: an append for each would make more metadata than
// data.
func perAppend(p football.Product) int {
	if p == football.LiveIntelligence {
		return 450 // an hour
	}
	return 1
}

// missingPerAppend is how many publications without rows an append has at most.
const missingPerAppend = 10_000

// Sync appends the publications that the lake does not have yet, oldest first.
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
	for _, t := range s.tables() {
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
	for _, t := range s.tables() {
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

	fixtures     *lakeTable[publication, table.FixtureRow] // these three of the market engine
	markets      *lakeTable[publication, table.MarketRow]
	changes      *lakeTable[account, table.EventRow]
	live         *lakeTable[publication, table.LiveRow] // of live intelligence
	publications *lakeTable[publication, recordRow]

	head     snapshot.Manifest // of the newest publication whose snapshot is kept
	previous rowHashes         // of the publication that was read last; nil if the lake does not have it
}

// rowHashes has a hash of every row of the dataset, by fixture.
type rowHashes map[string][sha256.Size]byte

// tables lists the tables of the product in the order in which they are appended.
func (s *syncer) tables() []appender {
	if s.Product == football.LiveIntelligence {
		return []appender{s.live, s.publications}
	}
	return []appender{s.fixtures, s.markets, s.changes, s.publications}
}

// id returns the name of a table. Each product has publications of its own.
func (s *syncer) id(name string) icetable.Identifier {
	if s.Product == football.LiveIntelligence && name == "publications" {
		name = "live_publications"
	}
	return icetable.Identifier{s.ClientID, name}
}

// open opens the tables of the product, and makes those that are missing.
func (s *syncer) open(ctx context.Context, disk *durable.Disk) error {
	c, err := openCatalog(s.Lake, s.Location)
	if err != nil {
		return err
	}
	location := cmp.Or(s.Location, s.Lake)
	names := []string{"fixtures", "markets", "changes", "publications"}
	if s.Product == football.LiveIntelligence {
		names = []string{"live", "publications"}
	}
	for _, name := range names {
		folder := strings.Join(s.id(name), "/")
		err := errors.Join(durable.MkdirAllSync(disk, folder+"/data"), durable.MkdirAllSync(disk, folder+"/metadata"))
		if err == nil {
			err = removeClaims(disk, folder+"/metadata")
		}
		if err != nil {
			return fmt.Errorf("lake: %w", err)
		}
	}
	if s.publications, err = openTable[publication, recordRow](ctx, c, location, s.id("publications")); err != nil {
		return err
	}
	if s.Product == football.LiveIntelligence {
		s.live, err = openTable[publication, table.LiveRow](ctx, c, location, s.id("live"))
		return err
	}
	if s.fixtures, err = openTable[publication, table.FixtureRow](ctx, c, location, s.id("fixtures")); err != nil {
		return err
	}
	if s.markets, err = openTable[publication, table.MarketRow](ctx, c, location, s.id("markets")); err != nil {
		return err
	}
	s.changes, err = openTable[account, table.EventRow](ctx, c, location, s.id("changes"))
	return err
}

// removeClaims removes what a run that was stopped left while it gave metadata its name: the
// library would wait a minute for that run.
func removeClaims(disk *durable.Disk, dir string) error {
	entries, err := disk.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".claim") || strings.HasSuffix(e.Name(), "-version-hint.temp") {
			err = errors.Join(err, disk.Remove(dir+"/"+e.Name()))
		}
	}
	return err
}

// repairHint makes the hint of a table name its newest metadata, which a run that was stopped
// may not have done: some readers start at the hint.
func repairHint(disk *durable.Disk, dir, metadata string) error {
	version, is := strings.CutPrefix(strings.TrimSuffix(filepath.Base(metadata), ".metadata.json"), "v")
	if !is {
		return nil // another program wrote it
	}
	const maxHint = 64
	hint := dir + "/version-hint.text"
	text, err := durable.ReadFile(disk, hint, maxHint)
	if err == nil && string(text) == version {
		return nil
	}
	return durable.Overwrite(disk, hint, []byte(version))
}

// openCatalog opens the tables in a folder.
func openCatalog(folder, location string) (*hadoop.Catalog, error) {
	warehouse, properties := folder, iceberg.Properties{}
	if location != "" {
		useLocation(location, folder)
		// Its commits are those of the local folder, which are safe.
		warehouse, properties["allow-unsafe-commits"] = location, "true"
	}
	c, err := hadoop.NewCatalog("mkt", warehouse, properties)
	if err != nil {
		return nil, fmt.Errorf("lake: %w", err)
	}
	return c, nil
}

// dryRun counts the publications that a sync would append. It makes nothing.
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

// pending returns the publications after one, oldest first. The first sync begins with the
// oldest one whose snapshot is kept. record is the hash of the commit record of last.
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

// readPrevious reads the rows of the publication before one, if the lake has that
// publication and its snapshot is kept.
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
			continue // a run that was stopped appended it
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

// write writes the rows of a publication. previous has those of the publication before; next
// has its own, and is nil if the lake does not have them.
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
	// An append of live data has whole publications, also if the run was stopped after it.
	appended := s.live != nil && s.live.last >= c.Version
	switch {
	case appended:
		status = s.live.property(propCoverage)
	case !kept:
		status = coverageMissing
	case previous != nil:
		status = coverageRefreshed
	case s.live == nil && s.begun(c.Version):
		status = coverageMissing // it can no longer be told which rows the other tables need
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

// begun reports whether a run that was stopped appended only the refreshed rows of a
// publication to some tables.
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
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w; run \"mkt recover --tenant %s --product %s\", then sync again", err, s.ClientID, s.Product)
	}
	return fmt.Errorf("publication %d: %w", c.Version, err)
}

// eachRow calls do with every row of a table of a snapshot, whose hash is checked first.
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

// IsConflict reports whether another program changed a table at the same time, so that the
// same sync may succeed later.
func IsConflict(err error) bool { return errors.Is(err, icetable.ErrCommitFailed) }
