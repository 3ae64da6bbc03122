package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// seqJump is how far seq goes on when a history begins under a clock that is behind
// seq itself.
const seqJump = 1_000_000_000

// historyStart is the seq before the first of a new history: beyond any that the lost
// one can have given, which nobody knows, and beyond those of every history that was
// begun from the same backup before. The clock's microseconds are: each history begins
// at its own, and none has a million events a second. They stay below 2^53 for two
// centuries.
func historyStart(last uint64, now time.Time) uint64 {
	if at := uint64(max(0, now.UnixMicro())); at > last {
		return at
	}
	return last + seqJump
}

// NewHistory publishes the newest dataset that is whole once more, as the first of
// a new history: every cursor from before is invalid, and no seq is used twice.
// It is for a root that was restored from a backup which does not have all that
// clients were told, and for one whose newest publication is ErrBeyondMending.
// What was published stays, and the chain of records goes on. Without any record
// the newest canonical cycle is published. Options.Cycle is not looked at.
func NewHistory(ctx context.Context, o Options) (Summary, error) {
	o.Cycle = ""
	o, err := o.check()
	if err != nil {
		return Summary{}, err
	}
	r := newRun(o, products[o.Product])
	defer r.Root.RemoveAll(r.staging)
	if err = r.newHistory(ctx); err != nil {
		err = fmt.Errorf("new history %s %s: %w", r.ClientID, r.Product, err)
	}
	r.report(ctx, err)
	return r.summary, err
}

func (r *run) newHistory(ctx context.Context) error {
	if err := r.makeFolders(); err != nil {
		return err
	}
	version, sum, err := snapshot.LastRecord(r.Root)
	if err != nil {
		return err
	}
	if version == 0 {
		return r.firstOfAll(ctx)
	}
	source, m, err := r.newestWhole(ctx)
	if err != nil {
		return err
	}
	head, _, fault, err := snapshot.HeadAndFault(r.Root) // the newest record that can be read
	if errors.Is(fault, layout.ErrNewer) {
		err = fault // nothing is lost
	}
	if err != nil {
		return err
	}
	r.base, r.previous = head, &m
	r.base.Version, r.base.SHA256 = version, sum
	if r.cycle, err = r.freeCycle(head.CycleID); err != nil {
		return err
	}
	if err := durable.MkdirAllSync(r.Root, r.staging+"/snapshot"); err != nil {
		return err
	}
	at := r.Now().UTC().Truncate(time.Millisecond)
	if floor := head.PublishedAt.Add(time.Millisecond); at.Before(floor) {
		at = floor
	}
	c := snapshot.Commit{
		Format: snapshot.Format, Version: version + 1, HistoryID: r.RunID, RunID: r.RunID, CycleID: r.cycle, PublishedAt: at,
		LastSeq: historyStart(head.LastSeq, r.Now()), PreviousSHA256: sum, Republishes: source.Version,
	}
	c.FirstSeq = c.LastSeq + 1
	if m, err = r.copySnapshot(ctx, source, m, c, r.Version); err != nil {
		return err
	}
	if c.ManifestSHA256, err = snapshot.CreateManifest(r.Root, r.staging+"/snapshot", m); err != nil {
		return err
	}
	return r.sealHistory(ctx, m, c)
}

// firstOfAll publishes the newest canonical cycle where there is no record.
func (r *run) firstOfAll(ctx context.Context) error {
	r.base.LastSeq = historyStart(0, r.Now())
	return r.publishCycle(ctx)
}

// newestWhole is the newest publication that is whole, or can be made so.
func (r *run) newestWhole(ctx context.Context) (snapshot.Commit, snapshot.Manifest, error) {
	head, _, err := snapshot.Head(r.Root)
	if err != nil {
		return head, snapshot.Manifest{}, err
	}
	var first error
	for c, err := range snapshot.Backward(r.Root, head) {
		var m snapshot.Manifest
		if err == nil {
			m, err = r.wholeOf(ctx, c)
		}
		if err == nil {
			return c, m, nil
		}
		if !isDamage(err) && !errors.Is(err, ErrBeyondMending) {
			return c, m, err
		}
		if first == nil {
			first = err
		}
		r.Log.Warn("a publication is passed by", "tenant", r.ClientID, "product", r.Product, "version", c.Version, "error", err)
	}
	return head, snapshot.Manifest{}, fmt.Errorf("no publication is whole: %w", first)
}

func (r *run) wholeOf(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	m, err := r.openMended(ctx, c)
	if err != nil {
		return m, err
	}
	err = r.verifyMended(ctx, c, m)
	if err == nil && (m.ClientID != r.ClientID || m.Product != r.Product) {
		err = fmt.Errorf("published snapshot is of %s %s: %w", m.ClientID, m.Product, snapshot.ErrDamaged)
	}
	return m, err
}

// freeCycle is the first cycle after one that nobody has: the dataset is of no
// retrieval of its own.
func (r *run) freeCycle(after layout.CycleID) (layout.CycleID, error) {
	at, product, err := layout.ParseCycleID(string(after))
	if err != nil {
		return "", err
	}
	for {
		at = at.Add(time.Second)
		id := layout.NewCycleID(at, product)
		taken := false
		for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir} {
			there, err := durable.Exists(r.Root, layout.Cycle(dir, id))
			if err != nil {
				return "", err
			}
			taken = taken || there
		}
		if !taken {
			return id, nil
		}
	}
}

// copySnapshot stages the files of a publication once more, and gives the manifest
// they have as commit c.
func (r *run) copySnapshot(ctx context.Context, source snapshot.Commit, m snapshot.Manifest, c snapshot.Commit, version string) (snapshot.Manifest, error) {
	files := m.Files
	m.CycleID, m.PublishedAt, m.BinaryVersion = c.CycleID, &c.PublishedAt, version
	m.PreviousManifestSHA256, m.Changes, m.Files = r.base.ManifestSHA256, nil, nil
	for _, file := range files {
		if err := r.stageCopy(ctx, source.Dir(), file, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (r *run) sealHistory(ctx context.Context, m snapshot.Manifest, c snapshot.Commit) error {
	if err := r.load(ctx); err != nil {
		return err
	}
	r.summary = Summary{Cycle: r.cycle, Version: c.Version, PublishedAt: c.PublishedAt, LastSeq: c.LastSeq, Republishes: c.Republishes,
		Fixtures: m.Tables["fixtures"].Rows + m.Tables["live"].Rows, Markets: m.Tables["markets"].Rows, InPlay: m.Counters["in_play"]}
	r.summary.Carried = int(r.summary.Fixtures)
	return r.sealAs(c, false)
}
