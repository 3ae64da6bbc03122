package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// seqJump is the advance of seq for a history that begins under a clock behind seq itself.
const seqJump = 1_000_000_000

// historyStart is the seq before the first one of a new history. It must be beyond every seq of
// the lost history, which nobody knows, and beyond those of other histories begun from the same
// backup. The clock's microseconds are: each history begins at its own time, and none has a
// million events a second. They stay below 2^53 for two centuries.
func historyStart(last uint64, now time.Time) uint64 {
	if at := uint64(max(0, now.UnixMicro())); at > last {
		return at
	}
	return last + seqJump
}

// NewHistory publishes the newest intact dataset again, as the first publication of a new
// history: every earlier cursor becomes invalid, and no seq is used twice. It is for a root
// restored from a backup without publications that clients have seen, and for a root whose newest
// publication is [ErrUnrepairable]. Earlier publications stay, and the chain of records
// continues. If a segment of the steps is lost, the history begins without steps, since paths of
// prices must not have gaps; the next publication then records the whole state. If there is no
// record, or no publication is intact, the newest canonical cycle is published, by itself. o.Cycle is ignored.
func NewHistory(ctx context.Context, o publish.Options) (s publish.Summary, err error) {
	o.Cycle = ""
	r, err := newRebuilder(o)
	if err != nil {
		return s, err
	}
	version, sum, err := snapshot.LastRecord(r.Root)
	if err == nil && version == 0 {
		r.Begin = &snapshot.Commit{LastSeq: historyStart(0, r.Now())}
		return publish.Run(ctx, r.Options)
	}
	started := r.Now()
	defer r.Root.RemoveAll(r.Staging())
	if err == nil {
		s, err = r.newHistory(ctx, version, sum)
	}
	if errors.Is(err, errNoneIntact) {
		var begun bool
		if begun, err = r.beginWithCycle(version, sum, err); begun {
			return publish.Run(ctx, r.Options)
		}
	}
	if err != nil {
		err = fmt.Errorf("new history %s %s: %w", r.ClientID, r.Product, err)
	}
	publish.Record(ctx, r.Options, started, s, err)
	return s, err
}

// newHistory publishes after the record with this version and hash, whether the record is
// readable or not.
func (r *rebuilder) newHistory(ctx context.Context, version uint64, sum string) (s publish.Summary, err error) {
	if err := snapshot.MakeFolders(r.Root); err != nil {
		return s, err
	}
	source, err := r.newestIntact(ctx)
	if err != nil {
		return s, err
	}
	head, _, fault, err := snapshot.HeadAndFault(r.Root) // the newest readable record
	if errors.Is(fault, layout.ErrNewer) {
		err = fault // no record is damaged
	}
	if err != nil {
		return s, err
	}
	if r.Cycle, err = r.freeCycle(head.CycleID); err != nil {
		return s, err
	}
	at := r.Now().UTC().Truncate(time.Millisecond)
	if earliest := head.PublishedAt.Add(time.Millisecond); at.Before(earliest) {
		at = earliest
	}
	last := historyStart(head.LastSeq, r.Now())
	c := snapshot.Commit{
		Format: snapshot.Format, Version: version + 1, HistoryID: r.RunID, RunID: r.RunID, CycleID: r.Cycle, PublishedAt: at,
		FirstSeq: last + 1, LastSeq: last, PreviousSHA256: sum, Republishes: source.Commit.Version,
	}
	o := r.Options
	if o.WithoutSteps, err = r.repairSteps(ctx, head, source.Manifest); err != nil {
		return s, err
	}
	d, err := draftHistory(ctx, o, r.dir(c), c, source, head.ManifestSHA256)
	if err != nil {
		return s, err
	}
	if c.ManifestSHA256, err = d.WriteManifest(); err != nil {
		return s, err
	}
	m := &d.Manifest
	c.FixturesRoot = m.FixturesRoot
	s = publish.Summary{Cycle: r.Cycle, Version: c.Version, PublishedAt: c.PublishedAt, LastSeq: c.LastSeq, Republishes: c.Republishes, StepsLost: o.WithoutSteps,
		Fixtures: m.Tables["fixtures"].Rows + m.Tables["live"].Rows, Markets: m.Tables["markets"].Rows, InPlay: m.Counters["in_play"]}
	s.Carried = int(s.Fixtures)
	_, err = d.Commit(ctx, c, false)
	return s, err
}

// newestIntact is the newest publication that is intact or can be repaired.
func (r *rebuilder) newestIntact(ctx context.Context) (publish.Base, error) {
	head, _, err := snapshot.Head(r.Root)
	if err != nil {
		return publish.Base{}, err
	}
	var first error
	for c, err := range snapshot.Backward(r.Root, head) {
		var m snapshot.Manifest
		if err == nil {
			m, err = r.intact(ctx, c)
		}
		if err == nil {
			return publish.Base{Commit: c, Manifest: &m}, nil
		}
		if !snapshot.IsDamage(err) && !errors.Is(err, ErrUnrepairable) {
			return publish.Base{}, err
		}
		if first == nil {
			first = &snapshot.DamageError{Commit: c, File: c.Dir(), Err: err}
		}
		r.Log.Warn("skipping a damaged publication", "tenant", r.ClientID, "product", r.Product, "version", c.Version, "error", err)
	}
	return publish.Base{}, fmt.Errorf("%w: %w", errNoneIntact, first)
}

var errNoneIntact = errors.New("no publication is intact")

// beginWithCycle sets the options with which the newest intact canonical cycle that was not published begins a
// history, after the record with this version and hash. The error is why, if there is no such cycle.
func (r *rebuilder) beginWithCycle(version uint64, sum string, why error) (begun bool, err error) {
	head, _, err := snapshot.Head(r.Root)
	if err != nil {
		return false, err
	}
	cycles, err := snapshot.CyclesIn(r.Root, layout.CanonicalDir)
	if err != nil {
		return false, err
	}
	for _, id := range slices.Backward(cycles) {
		if id <= head.CycleID {
			break
		}
		m, _, err := snapshot.OpenCanonical(r.Root, id)
		if err == nil {
			err = snapshot.Verify(r.Root, layout.Cycle(layout.CanonicalDir, id), m)
		}
		if snapshot.IsDamage(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		if version > head.Version { // the cycle may be that of the damaged record
			published, err := durable.Exists(r.Root, layout.Cycle(layout.SnapshotsDir, id))
			if err != nil {
				return false, err
			}
			if published {
				continue
			}
		}
		begin := beginAfter(head, historyStart(head.LastSeq, r.Now()))
		begin.Version, begin.SHA256 = version, sum
		r.Cycle, r.Begin = id, &begin
		return true, nil
	}
	return false, fmt.Errorf("%w; no later cycle is intact either: run mkt cycle --tenant %s, which will not publish, and then this command again", why, r.ClientID)
}

// beginAfter returns what a history that begins with a cycle alone follows: a record, without its history and its dataset.
func beginAfter(c snapshot.Commit, lastSeq uint64) snapshot.Commit {
	c.HistoryID, c.LastSeq = "", lastSeq
	return c
}

// repairSteps repairs the segments of the steps of a publication. lost says that one of them cannot be
// repaired.
func (r *rebuilder) repairSteps(ctx context.Context, head snapshot.Commit, m *snapshot.Manifest) (lost bool, err error) {
	for _, s := range m.Steps {
		err := snapshot.VerifySegment(r.Root, s)
		if snapshot.IsDamage(err) {
			err = r.segment(ctx, head, s, err)
		}
		if snapshot.IsDamage(err) || errors.Is(err, ErrUnrepairable) {
			r.Log.Warn("the paths of prices begin anew: a segment of the steps is lost", "tenant", r.ClientID, "product", r.Product, "file", s.File, "error", err)
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// intact repairs a publication and checks that it belongs to this account.
func (r *rebuilder) intact(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	m, err := r.snapshot(ctx, c)
	if err == nil && (m.ClientID != r.ClientID || m.Product != r.Product) {
		err = fmt.Errorf("published snapshot belongs to %s %s: %w", m.ClientID, m.Product, snapshot.ErrDamaged)
	}
	return m, err
}

// freeCycle is the first unused cycle id after a cycle: the dataset has no retrieval of
// its own.
func (r *rebuilder) freeCycle(after layout.CycleID) (layout.CycleID, error) {
	at, product, err := layout.ParseCycleID(string(after))
	if err != nil {
		return "", err
	}
	for {
		at = at.Add(time.Second)
		id := layout.NewCycleID(at, product)
		taken := false
		for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir} {
			exists, err := durable.Exists(r.Root, layout.Cycle(dir, id))
			if err != nil {
				return "", err
			}
			taken = taken || exists
		}
		if !taken {
			return id, nil
		}
	}
}
