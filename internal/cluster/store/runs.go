package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Runs is what the runs of one process do with the object store before and after their steps. Open,
// Now and Log are required. It is safe for concurrent use.
type Runs struct {
	Open func(context.Context) (*Store, error)
	Now  func() time.Time
	Log  *slog.Logger
	// Lost is the cause with which the context of a run ends that has lost its lease.
	Lost error

	shipped   sync.Map // dataset → shippedStates
	copied    sync.Map // dataset → when the state files of its account were copied from the store
	collected sync.Map // dataset → when retention was applied in the store
}

// Begin prepares a root for a run, see [Attach]. After an error, which the caller records in the root,
// the run is ended too.
func (r *Runs) Begin(ctx context.Context, data, root durable.FS, clientID string, p football.Product) (*Attached, error) {
	a, err := Attach(ctx, r.Open, data, root, clientID, p)
	a.failed = err
	if a.Damage != nil {
		r.logCopyAgain(clientID, p, a.Damage)
	}
	if err == nil && a.Away != nil {
		r.Log.Warn("the object store is away: answers are archived on this machine, and nothing is published until it is back", "tenant", clientID, "product", p, "error", a.Away)
	}
	return a, err
}

// Ended is how the steps of a run ended.
type Ended struct {
	Err      error // of the run; nil if it worked
	Stopping bool  // the process ends
}

// End stores the state files of a run, and prepares the next run if this one found damage, a
// [*snapshot.DamageError], that the store can repair: it reports whether the next run copies the files
// again. Of a run that could not begin, the state files are stored only if the store lacks
// publications: otherwise another machine would take the account for a new one.
func (r *Runs) End(ctx context.Context, a *Attached, root durable.FS, e Ended) (copies bool) {
	if a.failed != nil && !errors.Is(a.failed, snapshot.ErrStoreLacks) {
		return false
	}
	r.shipStates(ctx, a, root, e.Err != nil, e.Stopping)
	var damage *snapshot.DamageError
	if !errors.As(e.Err, &damage) || a.Dataset == nil || a.CopyAgain(ctx, root, damage.Commit.Version, damage) != nil {
		return false
	}
	r.logCopyAgain(a.Dataset.clientID, a.Dataset.product, damage)
	return true
}

func (r *Runs) logCopyAgain(clientID string, p football.Product, damage error) {
	r.Log.Warn("published files are damaged on this machine: they are in "+layout.QuarantineDir+", and are copied from the object store again", "tenant", clientID, "product", p, "error", damage)
}

// shipStates stores the state files after a run, even a failed one: replicas answer from
// them, and the next worker goes on from them. A run that has lost its lease begins no upload: another
// worker may have stored newer ones, or deleted the account.
func (r *Runs) shipStates(ctx context.Context, a *Attached, root durable.FS, failed, stopping bool) {
	if a.Dataset == nil || r.Lost != nil && errors.Is(context.Cause(ctx), r.Lost) {
		return
	}
	d, name, now := a.Dataset, a.Dataset.String(), shippedStates{r.Now(), failed}
	if last, ok := r.shipped.Load(name); ok && !last.(shippedStates).isOld(now) && !stopping {
		return
	}
	if err := d.ShipStates(context.WithoutCancel(ctx), a.data, root); err != nil {
		r.Log.Warn("the state files could not be stored; the next run tries again", "tenant", d.clientID, "product", d.product, "error", err)
		return
	}
	r.shipped.Store(name, now)
}

// shippedStates is when state files were stored, and whether their run failed.
type shippedStates struct {
	at     time.Time
	failed bool
}

// StatesEvery is how often unchanged states are stored, or copied: those of live intelligence have
// another time every few seconds.
const StatesEvery = 30 * time.Second

func (s shippedStates) isOld(now shippedStates) bool {
	return s.failed != now.failed || now.at.Sub(s.at) >= StatesEvery
}

// CopyAccountStates copies the state files of an account from a store, at most once in [StatesEvery] for
// a product that waits for a finding about its provider: a person may test a connection on any machine,
// and a run that is postponed would never hear of the result. in opens the folder of the account. A
// failure is only logged.
func (r *Runs) CopyAccountStates(ctx context.Context, d *Dataset, in func(do func(account durable.FS) error) error) {
	last, _ := r.copied.Load(d.String())
	if last != nil && r.Now().Sub(last.(time.Time)) < StatesEvery {
		return
	}
	r.copied.Store(d.String(), r.Now())
	err := in(func(account durable.FS) error { return d.store.CopyAccountStates(ctx, d.clientID, account) })
	if err != nil {
		r.Log.Warn("the newest test of the connection could not be copied from the object store", "tenant", d.clientID, "error", err)
	}
}

// collectEvery is how often retention is applied in the store, by each process.
const collectEvery = time.Hour

// Collect applies the retention in the store after a publication, if this process did not within the
// last hour. It reports whether it did. Its error is logged: the publication is done.
func (r *Runs) Collect(ctx context.Context, d *Dataset, keep retention.Policy) (collected bool, err error) {
	if last, ok := r.collected.Load(d.String()); ok && r.Now().Sub(last.(time.Time)) < collectEvery {
		return false, nil
	}
	r.collected.Store(d.String(), r.Now())
	if _, err = d.Collect(ctx, CollectOptions{Policy: keep}); err != nil {
		r.Log.Warn("retention in the object store stopped early; a later run continues", "tenant", d.clientID, "product", d.product, "error", err)
	}
	return true, err
}
