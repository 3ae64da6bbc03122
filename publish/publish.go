package publish

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Options of one run. The caller holds the lock of Root.
type Options struct {
	ClientID string
	Product  football.Product
	Cycle    layout.CycleID // "" = the newest canonical cycle
	Root     durable.FS     // of the tenant and product
	Now      func() time.Time
	Log      *slog.Logger
	RunID    string // nobody else's; names the staging folder; "" = a random one
	Version  string // of the binary; goes into the manifest

	// Check loads the snapshot in dir, relative to Root, as serve will, in a
	// child process; an error stops the publication. nil = no check. Products
	// with a cycle every few seconds are not checked so.
	Check func(ctx context.Context, cycle layout.CycleID, dir string) error
	// AcceptRemovals lets a listing take away more than Run would believe.
	AcceptRemovals bool
	// Retention is applied after the commit. Its zero value keeps everything but old
	// change events.
	Retention retention.Policy
	// LastSeq is the seq before the first one of a root where nothing was published yet:
	// 0 but for a root that was lost, see repair.NewHistory.
	LastSeq uint64
}

// Summary is what a run came to.
type Summary struct {
	Cycle       layout.CycleID
	Already     bool // the cycle was published before: nothing was done
	Version     uint64
	PublishedAt time.Time

	Fixtures, Markets, Selections int64 // in the dataset
	InPlay                        int64 // live: of the fixtures
	Refreshed                     int   // fixtures replaced or new
	WithoutMarkets                int   // fixtures as they are listed: the provider offers no markets on them
	Carried                       int   // fixtures kept from the previous dataset with their own times
	Removed                       int   // fixtures taken out
	// Held is how many fixtures a listing said were gone, which was too many to
	// believe at once: they were kept. See Options.AcceptRemovals.
	Held    int
	Events  int
	LastSeq uint64
	// Republishes is the version whose dataset begins a new history; see repair.NewHistory.
	Republishes uint64

	Collected retention.Collected
}

// ErrConflict: another publisher was faster. Nothing of this run is visible; try
// again later.
var ErrConflict = snapshot.ErrConflict

// ErrOlderCycle: a cycle was named that is older than what is published and was
// never published itself. It cannot be put in behind.
var ErrOlderCycle = errors.New("older than the published cycle")

// ErrNoCycle: there is no canonical cycle to publish.
var ErrNoCycle = errors.New("no canonical cycle")

// ErrNotLoadable: the child process that loads a new snapshot as serve does could not
// load it, or died. Nothing was published.
var ErrNotLoadable = errors.New("the new snapshot does not load, so that nothing was published")

// run is one run under way.
type run struct {
	Options
	base    Base
	summary Summary
}

// Run publishes one cycle. A cycle that is published already is a success that does
// nothing. What an interrupted run left is recovered; a damaged publication is not, and
// ends the run with a *DamageError that says what repairs it. Other errors to branch
// on: ErrConflict, ErrOlderCycle, ErrNoCycle, durable.ErrNoSpace, snapshot.ErrDamaged.
// It writes state/publish.json.
func Run(ctx context.Context, o Options) (Summary, error) {
	o, err := o.Complete()
	if err != nil {
		return Summary{}, err
	}
	r := &run{Options: o}
	started := o.Now()
	err = r.publish(ctx)
	if err != nil {
		err = fmt.Errorf("publish %s %s: %w", o.ClientID, o.Product, o.remedy(err))
	}
	Record(ctx, o, started, r.summary, err)
	return r.summary, err
}

// remedy adds to the error about a damaged publication what repairs it.
func (o *Options) remedy(err error) error {
	var damage *DamageError
	if errors.As(err, &damage) {
		return fmt.Errorf("%w: repair it with mkt recover --tenant %s --product %s", err, o.ClientID, o.Product)
	}
	return err
}

func (r *run) publish(ctx context.Context) error {
	defer r.Root.RemoveAll(r.Staging())
	if err := r.recover(); err != nil {
		return err
	}
	if err := r.chooseCycle(); err != nil || r.summary.Already {
		return err
	}
	if err := r.publishCycle(ctx); err != nil {
		return fmt.Errorf("cycle %s: %w", r.Cycle, err)
	}
	r.collect()
	return nil
}

func (r *run) publishCycle(ctx context.Context) error {
	d, err := NewDraft(r.Options, r.base, r.Staging())
	if snapshot.IsDamage(err) {
		return fmt.Errorf("canonical cycle: %w: rebuild it with mkt transform --tenant %s --cycle %s, or run a new cycle", err, r.ClientID, r.Cycle)
	}
	if err != nil {
		return err
	}
	publishedAt, replace, err := r.takeOver(d)
	if err != nil {
		return err
	}
	if err := d.Write(ctx, publishedAt); err != nil {
		return err
	}
	sum, err := d.WriteManifest()
	if err != nil {
		return err
	}
	r.summary = d.summary()
	return d.Commit(ctx, d.record(sum), replace)
}

// takeOver is the time of this publication. If an earlier run of this cycle did not
// reach its commit, its time and its version of the binary are used, so that both write
// the same bytes. Otherwise published_at is now, but after the previous publication and
// not before the data was processed, whatever the clock says. replace reports whether a
// folder is there that no commit names.
func (r *run) takeOver(d *Draft) (publishedAt time.Time, replace bool, err error) {
	name := layout.Cycle(layout.SnapshotsDir, r.Cycle)
	if replace, err = durable.Exists(r.Root, name); err != nil {
		return publishedAt, false, err
	}
	publishedAt = r.Now().UTC().Truncate(time.Millisecond)
	earliest := d.canonical.ProcessedAt.UTC()
	if previous := r.base.Commit; previous.Version > 0 && !earliest.After(previous.PublishedAt) {
		earliest = previous.PublishedAt.Add(time.Millisecond)
	}
	if publishedAt.Before(earliest) {
		publishedAt = earliest
	}
	if !replace {
		return publishedAt, false, nil
	}
	m, _, err := snapshot.ReadManifest(r.Root, name+"/"+layout.ManifestFile)
	same := err == nil && m.CanonicalSHA256 == d.canonicalSum && m.PreviousManifestSHA256 == r.base.Commit.ManifestSHA256
	if same && m.PublishedAt != nil && !m.PublishedAt.Before(earliest) {
		publishedAt, d.Version = *m.PublishedAt, m.BinaryVersion
	}
	return publishedAt, true, nil
}

// record is the commit record of a draft.
func (d *Draft) record(manifestSum string) snapshot.Commit {
	base := d.base.Commit
	c := snapshot.Commit{
		Format: snapshot.Format, Version: base.Version + 1, HistoryID: cmp.Or(base.HistoryID, d.RunID), RunID: d.RunID, CycleID: d.Cycle,
		PublishedAt: *d.Manifest.PublishedAt, ManifestSHA256: manifestSum, Segment: d.segment, LastSeq: base.LastSeq, PreviousSHA256: base.SHA256,
		CanonicalSHA256: d.canonicalSum, RawSHA256: d.canonical.RawSHA256,
	}
	if d.segment != nil {
		c.LastSeq = d.segment.Last
	}
	c.FirstSeq = c.LastSeq + 1
	if len(d.Manifest.Changes) > 0 {
		c.FirstSeq = d.Manifest.Changes[0].First
	}
	return c
}

// collect applies the retention after a commit. What goes wrong is left to the next
// run: the publication is done.
func (r *run) collect() {
	if !retention.IsDue(r.Product, r.ClientID, r.base.Commit.CycleID, r.Cycle) {
		return
	}
	var err error
	r.summary.Collected, err = retention.Collect(retention.Options{Root: r.Root, Now: r.Now(), Policy: r.Retention.For(r.Product)})
	if err != nil {
		r.Log.Warn("collecting old data stopped early", "tenant", r.ClientID, "product", r.Product, "error", err)
	}
}

var runPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Staging is the folder that the run works in.
func (o *Options) Staging() string { return layout.StagingDir + "/" + o.RunID }

// Complete fills in defaults, and refuses what cannot be run.
func (o Options) Complete() (Options, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.RunID == "" {
		o.RunID = rand.Text()
	}
	_, offered := products[o.Product]
	switch {
	case o.Root == nil:
		return o, errors.New("publish: no root")
	case !layout.ValidTenantID(o.ClientID):
		return o, fmt.Errorf("publish: account %q: not an account's id", o.ClientID)
	case !offered:
		return o, fmt.Errorf("publish: product %q: cannot be published", o.Product)
	case !runPattern.MatchString(o.RunID):
		return o, fmt.Errorf("publish: run id %q: want letters, digits, dots and dashes", o.RunID)
	}
	if o.Cycle != "" {
		if _, product, err := layout.ParseCycleID(string(o.Cycle)); err != nil || product != string(o.Product) {
			return o, fmt.Errorf("publish: cycle %q: not one of product %s", o.Cycle, o.Product)
		}
	}
	return o, nil
}
