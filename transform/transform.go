package transform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
	"mkt/transform/markets/suspicion"
)

// Options of one run. The caller holds the lock of Root.
type Options struct {
	ClientID string
	Product  football.Product
	// Cycle to transform; "" means the newest raw cycle with something to transform.
	Cycle layout.CycleID
	Root  durable.FS // of the tenant and product
	Data  durable.FS // the data root, which records the id key's fingerprint
	Key   identity.Key

	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means none
	Workers int              // payloads read concurrently; 0 means one for each core
	Version string           // of the binary; goes into the header
	Details int              // live: fixtures whose timeline and minutes are published; 0 means 50
	// Memory bounds the memory of this and other runs together; nil means no bound.
	Memory *Memory
	// Received has answers fetched by this process; nil reads them from the archive.
	Received *raw.Received
	// States keeps the beginning of the next cycle in this process; nil keeps nothing.
	States *States
	// Stopping is closed when the process must stop. This interrupts a run that waits for
	// memory. It may be nil.
	Stopping <-chan struct{}
	// Progress is called with the number of answers with markets already read; it may be nil. It
	// is called from many goroutines.
	Progress func(done, total int)
	// Published is the publication of the cycle, if Root does not have its record.
	Published snapshot.Commit
	// Provider finds an adapter by name; nil means every registered adapter.
	Provider func(name string) (provider.Provider, bool)
}

// Summary counts the work of a run.
type Summary struct {
	Cycle   layout.CycleID
	Already bool // the cycle was transformed before: nothing was done

	Fixtures int // refreshed
	// NotOffered is the number of fixtures listed without markets. Fixtures does not include
	// them, but each has a row.
	NotOffered int
	Markets    int
	Mapped     int // markets with a proven canonical identity
	Selections int
	// Publishable is the number of selections with a proven meaning.
	Publishable int
	// NoOffer is the number of selections with a price at which nothing can be won.
	NoOffer int
	// WithoutPrices is the number of markets without prices. Markets does not include them.
	WithoutPrices int
	Broken        int // unreadable fixtures
	// Partial is the number of fixtures with at least one unreadable section.
	Partial int
	// Damaged is the number of unreadable parts of payloads, which were marked or left out.
	Damaged int
	Failed  int // fixtures that could not be retrieved
	// Suspicions counts markets that were perhaps misread, by kind. They are published
	// nevertheless.
	Suspicions suspicion.Counts
	Live       LiveSummary
	Bytes      int64
	Took       time.Duration
}

var (
	// ErrNoCycle: there is no raw cycle to transform.
	ErrNoCycle = errors.New("no raw cycle to transform")
	// ErrKey: the id key is not the one of this data root.
	ErrKey = errors.New("wrong id key")
	// ErrRules: the cycle was transformed with rules of another version.
	ErrRules = errors.New("transformed by other rules")
	// ErrQuarantined: too much of the cycle is unreadable.
	ErrQuarantined = errors.New("too much could not be read")
)

// run is a run in progress; each step sets its fields.
type run struct {
	Options
	engine  engine
	started time.Time

	cycle   layout.CycleID
	archive *raw.Archive
	before  *snapshot.Manifest // of an earlier run of the same cycle; nil if there was none
	// published is the publication of a cycle whose rows are gone; Version is 0 otherwise. mustMatch: it, or the
	// published cycle for which this one is transformed, was asked for.
	published snapshot.Commit
	mustMatch bool
	// isBackfill: this cycle is transformed because a later one needs it.
	isBackfill bool
	// only is the provider's id of the only fixture to read, with a trace of its payloads; ""
	// reads all of them, untraced. See [TraceMarkets].
	only    string
	rows    rowStore
	result  result
	summary Summary
}

// Run transforms one cycle. If the cycle is transformed already, it does nothing. But if the
// cycle was named, it is transformed again, and must make the same bytes. Errors to branch on:
// [ErrNoCycle], [ErrKey], [ErrRules], [ErrQuarantined], [ErrOtherRows], [raw.ErrCorrupt], [durable.ErrDiffers],
// [durable.ErrNoSpace]. It writes state/transform.json.
func Run(ctx context.Context, o Options) (Summary, error) {
	r := &run{Options: o, published: o.Published}
	if err := r.check(); err != nil {
		return Summary{}, fmt.Errorf("transform: %w", err)
	}
	r.started = r.Now()
	err := r.transform(ctx)
	if err != nil {
		err = fmt.Errorf("transform %s %s: %w", r.ClientID, r.Product, err)
	}
	r.report(ctx, err)
	return r.summary, err
}

// check validates the options and sets the defaults.
func (r *run) check() error {
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	if r.Workers <= 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	if r.Details <= 0 {
		r.Details = defaultDetails
	}
	if r.Provider == nil {
		r.Provider = all.Lookup
	}
	e, ok := engines[r.Product]
	switch {
	case r.Root == nil || r.Data == nil:
		return errors.New("no data root")
	case !layout.ValidTenantID(r.ClientID):
		return fmt.Errorf("tenant %q is not the id of an account", r.ClientID)
	case !ok:
		return fmt.Errorf("product %q: there is no engine for it", r.Product)
	}
	r.engine = e
	return nil
}

func (r *run) transform(ctx context.Context) error {
	if err := r.checkKey(); err != nil {
		return err
	}
	if err := r.chooseCycle(); err != nil || r.summary.Already {
		return err
	}
	bytes, err := need(r.archive.Cycle(), r.Workers)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	release, err := r.Memory.Hold(ctx, r.Stopping, bytes)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	defer release()
	if err := r.stage(); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	defer r.Root.RemoveAll(r.staging())
	defer r.rows.close()
	if err := r.engine.derive(ctx, r); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	if err := r.write(ctx); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	return nil
}
