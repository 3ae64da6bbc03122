package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// Run fetches one cycle. It archives the answers and writes the outcome into
// state/fetch.json, also when it fails; the errors to branch on are [ErrCredential],
// [ErrPermission], [ErrLimited], [ErrPayload], [provider.ErrUnreachable] and
// [durable.ErrNoSpace]. An interrupted run (ctx) leaves neither a cycle nor a
// state: the next run quarantines the files it left.
//
// If the cycle is sealed already, Run does nothing and succeeds, unless it was sealed
// as failed.
func Run(ctx context.Context, o Options) (Summary, error) {
	o, err := o.check()
	if err != nil {
		return Summary{}, err
	}
	calls := countCalls(&o)
	defer calls.end()
	o.Usage = calls.add
	r := &run{Options: o, began: o.Monotonic(), started: o.Now()}
	done, err := r.prepare()
	if done {
		return r.summary, err
	}
	if err == nil {
		err = r.fetch(ctx)
	}
	if r.compacts && ctx.Err() == nil {
		r.compact()
	}
	r.summary.Took = r.Monotonic().Sub(r.began)
	if err != nil && (ctx.Err() != nil || errors.Is(err, upstream.ErrStopping)) {
		return r.summary, fmt.Errorf("account %s: fetch of %s interrupted: %w", o.Tenant.ID, r.summary.Cycle, cmp.Or(context.Cause(ctx), err))
	}
	if state := r.remember(err); state != nil && err == nil {
		err = &storageError{state}
	}
	r.log(err)
	if err != nil {
		return r.summary, r.explain(err)
	}
	return r.summary, nil
}

// check returns the options with their defaults, or why they cannot be run.
func (o Options) check() (Options, error) {
	o, err := o.fill()
	if err != nil {
		return o, err
	}
	product, offered := products[o.Product]
	o.Limits = o.Limits.Or(product.limits)
	switch {
	case !offered:
		return o, fmt.Errorf("product %q: cannot be fetched", o.Product)
	case o.Root == nil:
		return o, fmt.Errorf("account %s: no root to write into", o.Tenant.ID)
	case o.Cycle != "":
		return o, checkCycle(o.Cycle, o.Product)
	}
	return o, nil
}

// fill returns the options with their defaults, or an error with the account's missing part.
func (o Options) fill() (Options, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Now = steady(o.Now)
	if o.Monotonic == nil {
		o.Monotonic = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case !layout.ValidTenantID(o.Tenant.ID):
		return o, fmt.Errorf("account %q: not an account's id", o.Tenant.ID)
	case o.Open == nil || o.Provider == nil:
		return o, fmt.Errorf("account %s: no key to open the credential with, or no list of providers", o.Tenant.ID)
	case o.Tenant.Provider == "" || o.Tenant.SealedCredential == "":
		return o, fmt.Errorf("account %s: no provider credential: store one with: mkt provider set %s --provider NAME", o.Tenant.ID, o.Tenant.ID)
	}
	return o, nil
}

// prepare recovers from killed runs and chooses the cycle. It returns done if
// there is nothing to do.
func (r *run) prepare() (done bool, err error) {
	if r.Cycle != "" {
		sealed, err := sealedBefore(r.Root, r.Cycle)
		if err != nil {
			return false, err
		}
		if sealed != nil {
			return true, r.already(sealed.Cycle())
		}
		if err := checkNewName(r.Root, r.Cycle, r.Product, r.started); err != nil {
			return true, fmt.Errorf("account %s: %w", r.Tenant.ID, err)
		}
	}
	if r.summary.Recovered, err = raw.Recover(r.Root); err != nil {
		return false, &storageError{err}
	}
	if r.summary.Cycle = r.Cycle; r.Cycle == "" {
		if r.summary.Cycle, err = newCycle(r.Root, r.Product, r.started); err != nil {
			return false, err
		}
	}
	r.compacts, err = r.isDueToCompact()
	return false, err
}

func (r *run) already(c raw.Cycle) error {
	r.summary.Cycle, r.summary.Already = c.CycleID, true
	r.summary.Outcome, r.summary.Code, r.summary.Requests, r.summary.Failed = c.Outcome, c.Code, c.Requests, len(c.Failed)
	r.summary.NotOffered = len(c.NotOffered)
	if c.Outcome == raw.Failed {
		return fmt.Errorf("account %s: cycle %s was fetched before, and failed (%s): leave out --cycle for a new one", r.Tenant.ID, c.CycleID, c.Code)
	}
	return nil
}

// fetch sends the requests, archives the answers and seals the cycle.
func (r *run) fetch(ctx context.Context) error {
	l, err := r.connect()
	if err != nil {
		return err
	}
	defer l.client.Close()
	asking, err := askingFor(l.adapter, r.Product)
	if err != nil {
		return err
	}
	archive, err := raw.Create(r.Root, r.summary.Cycle, credential.NewScrubber(l.secret).Scrub)
	if err != nil {
		return &storageError{err}
	}
	defer archive.Close()
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	x := &exchange{
		client: l.client, archive: archive, now: r.Now, progress: r.Progress, concurrency: max(1, l.adapter.Budget.Concurrency), bookmaker: l.adapter.Bookmaker(r.Tenant.Bookmaker),
		evidence: newEvidence(l.adapter, l.secret), received: r.Received, earlier: r.earlierOf(l.adapter, archive), abandon: abandon, accepted: map[string]int{}, rejected: map[string]int64{},
	}
	if err := r.keepMapping(archive, l.adapter); err != nil {
		return err
	}
	asked, err := asking.ask(ctx, x, archive.Resume(r.Tenant.Provider))
	return r.conclude(ctx, x, asking, asked, err)
}

// keepMapping archives the account's mapping table with the answers that are read with it:
// a cycle is read again as it was.
func (r *run) keepMapping(archive *raw.Writer, adapter provider.Provider) error {
	if r.Tenant.Mapping == "" || r.Product != football.MarketEngine || adapter.ParseTable == nil {
		return nil
	}
	_, err := archive.Add(raw.Response{Endpoint: provider.EndpointMapping, Attempt: 1, FetchedAt: r.Now()}, []byte(r.Tenant.Mapping))
	if err != nil {
		return &storageError{fmt.Errorf("the account's mapping table: %w", err)}
	}
	return nil
}

// isDueToCompact reports whether this is the first cycle of an account's hour, for a
// product with many cycles.
func (r *run) isDueToCompact() (bool, error) {
	if !products[r.Product].compacts {
		return false, nil
	}
	at, known, err := raw.LastBegun(r.Root)
	last := layout.NewCycleID(at, string(r.Product))
	return known && layout.Slot(r.summary.Cycle, r.Tenant.ID, time.Hour) != layout.Slot(last, r.Tenant.ID, time.Hour), err
}

// compact compacts the cycles of earlier hours. If that fails, the next hour tries it
// once more: this cycle is done.
func (r *run) compact() {
	log := r.Log.With("tenant", r.Tenant.ID, "product", r.Product, "step", "fetch")
	n, err := raw.Compact(r.Root, r.summary.Cycle)
	if err != nil {
		log.Warn("compacting raw cycles stopped early", "error", err)
	}
	if n > 0 {
		log.Info("raw cycles compacted", "cycles", n)
	}
}

// connection is to the provider of an account.
type connection struct {
	adapter provider.Provider
	secret  credential.Secret
	client  *upstream.Client // to be closed
}

// connect finds the adapter, opens the credential and makes the client.
func (o *Options) connect() (l connection, err error) {
	var found bool
	if l.adapter, found = o.Provider(o.Tenant.Provider); !found {
		return l, fmt.Errorf("provider %q is not known", o.Tenant.Provider)
	}
	if l.secret, err = o.Open(o.Tenant.SealedCredential, o.Tenant.ID, o.Tenant.Provider); err != nil {
		return l, fmt.Errorf("%w: store it again with: mkt provider set %s --provider %s", err, o.Tenant.ID, o.Tenant.Provider)
	}
	var leftAt time.Time
	limit := 0
	if q := o.Quota; q != nil {
		if q.UsedUpUntil == nil {
			leftAt = q.At
		}
		if q.Limit != nil {
			limit = int(*q.Limit)
		}
	}
	l.client, err = upstream.New(upstream.Options{
		Provider: l.adapter, Account: o.Tenant.ID, BaseURL: o.Tenant.BaseURL, AllowPrivateAddress: o.Tenant.AllowPrivateAddress,
		Credential: l.secret, Limits: o.Limits, Circuits: o.Circuits, Now: o.Now, Monotonic: o.Monotonic, Usage: o.Usage,
		Log: o.Log.With("tenant", o.Tenant.ID, "step", "fetch"), QuotaLeftAt: leftAt, QuotaLimit: limit, Stopping: o.Stopping, Random: o.Random, Transport: o.Transport,
	})
	return l, err
}
