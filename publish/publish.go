package publish

import (
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
	// Retention is applied after the commit. Zero keeps everything but what the
	// change log's window lets go.
	Retention Retention
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
	// Republishes is the version whose dataset begins a new history; see NewHistory.
	Republishes uint64

	Collected Collected
}

// ErrConflict: another publisher was faster. Nothing of this run is visible; try
// again later.
var ErrConflict = snapshot.ErrConflict

// ErrOlderCycle: a cycle was named that is older than what is published and was
// never published itself. It cannot be put in behind.
var ErrOlderCycle = errors.New("older than the published cycle")

// ErrNoCycle: there is no canonical cycle to publish.
var ErrNoCycle = errors.New("no canonical cycle")

// ErrUnfit: the child that loads a new snapshot as serve does could not, or died of
// it. Nothing was published.
var ErrUnfit = errors.New("the new snapshot does not load, so that nothing was published")

// run is one run under way, filled in from step to step.
type run struct {
	Options
	product product
	started time.Time

	base     snapshot.Commit    // newest commit; Version 0 when there is none
	previous *snapshot.Manifest // its manifest, nil when there is none

	cycle        layout.CycleID
	canonical    snapshot.Manifest
	canonicalSum string
	in           inputs

	plan    plan
	staging string
	staged  map[string]string // change segments: their name → where they are staged

	asIs     bool              // damage is told, not mended
	mended   *[]string         // files that were put back
	read     map[string]bool   // segments that Mend has read
	standIns map[string]string // files of the published snapshot: their name → where their rows are read instead
	summary  Summary
}

func newRun(o Options, p product) *run {
	return &run{Options: o, product: p, started: o.Now(), staging: layout.StagingDir + "/" + o.RunID,
		staged: map[string]string{}, mended: new([]string), read: map[string]bool{}, standIns: map[string]string{}}
}

// Run publishes one cycle. A cycle that is published already is a success that
// does nothing. Errors to branch on: ErrConflict, ErrOlderCycle, ErrNoCycle,
// ErrBeyondMending, durable.ErrNoSpace, snapshot.ErrDamaged. It writes state/publish.json.
func Run(ctx context.Context, o Options) (Summary, error) {
	o, err := o.check()
	if err != nil {
		return Summary{}, err
	}
	r := newRun(o, products[o.Product])
	err = r.publish(ctx)
	if err != nil {
		err = fmt.Errorf("publish %s %s: %w", r.ClientID, r.Product, err)
	}
	r.report(ctx, err)
	return r.summary, err
}

func (r *run) publish(ctx context.Context) error {
	defer r.Root.RemoveAll(r.staging)
	if err := r.recover(ctx); err != nil {
		return err
	}
	return r.publishCycle(ctx)
}

// publishCycle goes on from what is published.
func (r *run) publishCycle(ctx context.Context) error {
	if err := r.chooseCycle(); err != nil || r.summary.Already {
		return err
	}
	if err := r.checkCanonical(); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	if r.product.decide != nil {
		if err := r.product.decide(ctx, r); err != nil {
			return fmt.Errorf("cycle %s: %w", r.cycle, err)
		}
	}
	if err := r.write(ctx); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	r.collect()
	return nil
}

var runPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// check refuses what cannot be run, and fills in defaults.
func (o Options) check() (Options, error) {
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
