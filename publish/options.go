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
	RunID    string // unique; names the staging folder; "" = a random one
	Version  string // of the binary; goes into the manifest

	// Check loads the snapshot in dir, relative to Root, in a child process as serve will. An
	// error stops the publication; nil is no check. Products with a cycle every few seconds are
	// not checked.
	Check func(ctx context.Context, cycle layout.CycleID, dir string) error
	// Store gets the publication before it is visible in Root; nil = Root is the only place.
	Store Store
	// Progress is called with the number of written fixtures of the dataset; it may be nil. It is
	// not called for files shared with the canonical cycle.
	Progress func(done, total int)
	// AcceptRemovals allows a listing to remove more fixtures than Run accepts by itself, and a
	// new provider or bookmaker to have no markets; see [ErrNoMarkets].
	AcceptRemovals bool
	// Retention is applied after the commit. Its zero value keeps everything but old
	// change events.
	Retention retention.Policy
	// WithoutSteps publishes as builds before steps did, for repairing their publications, and
	// begins a history without the steps that were lost.
	WithoutSteps bool
	// WithoutRoot does the same for builds before fixtures_root.
	WithoutRoot bool
	// Begin, if not nil, begins a new history with the cycle alone: after this record, on which nothing
	// can be built, and after its LastSeq. See repair.NewHistory.
	Begin *snapshot.Commit
}

// Store is a second place for publications, which decides whether one is made. Package store
// implements it.
type Store interface {
	// Ship stores the files of a publication, which are in Root under their final names, and
	// commits it with the bytes of its record. segments are its new files of the change log and
	// of the steps. The error is [ErrConflict] if the store has another commit of this number.
	Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error
}

// StoreError reports that the [Store] did not take a publication, or its answer was lost. The
// next run finds out and publishes it.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return e.Err.Error() }
func (e *StoreError) Unwrap() error { return e.Err }

// Summary is the result of a run.
type Summary struct {
	Cycle       layout.CycleID
	Already     bool // the cycle was published before: nothing was done
	Version     uint64
	PublishedAt time.Time

	Fixtures, Markets, Selections int64 // in the dataset
	InPlay                        int64 // live: of the fixtures
	Refreshed                     int   // fixtures replaced or new
	WithoutMarkets                int   // fixtures published as listed: the provider offers no markets on them
	Carried                       int   // fixtures kept from the previous dataset with their own times
	Removed                       int   // fixtures removed
	// Held is the number of fixtures kept although the listing lacks them, because they
	// were too many within a day. See Options.AcceptRemovals.
	Held    int
	Events  int
	LastSeq uint64
	// Republishes is the version whose dataset begins a new history; see repair.NewHistory.
	Republishes uint64
	// StepsLost says that a new history begins without the steps of the one before, because a
	// segment of them is lost.
	StepsLost bool

	Collected retention.Collected
}

// ErrConflict: another publisher was faster. Nothing of this run is visible; try again
// later.
var ErrConflict = snapshot.ErrConflict

// ErrOlderCycle: the named cycle is older than the published one and was never published. It
// cannot be inserted before the published one.
var ErrOlderCycle = errors.New("older than the published cycle")

// ErrNoCycle: there is no canonical cycle to publish.
var ErrNoCycle = errors.New("no canonical cycle")

// ErrNotLoadable: the child process that loads a new snapshot as serve does failed or died.
// Nothing was published.
var ErrNotLoadable = errors.New("the new snapshot cannot be loaded; nothing was published")

// ErrNoMarkets: the first cycle with another provider or bookmaker has fixtures and no market on
// any of them. The dataset to be replaced has some.
var ErrNoMarkets = errors.New("no fixture has a market; nothing was published")

var runPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Staging is the working folder of the run.
func (o *Options) Staging() string { return layout.StagingDir + "/" + o.RunID }

// Complete sets the defaults and validates the options.
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
