package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/internal/coordination"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/store"
	"mkt/transform"
	"mkt/transform/identity"
)

// key makes the ids of all data roots.
var key = identity.Key{1, 2, 3}

// keep is the retention of the data roots of a cluster: short, so that it deletes often. See [system.keeps].
var keep = retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, Cycles: 3, CycleAge: time.Hour, ChangeEvents: 20}

// fetchLimits end a run while its account's next one is still to come.
var fetchLimits = fetch.Limits{Run: 4 * time.Minute, Connect: 5 * time.Second, Header: 10 * time.Second, Body: 20 * time.Second}

// job is one product of an account.
type job struct {
	*account
	product football.Product
}

func (j job) String() string { return j.id + " " + string(j.product) }

// dir is the folder of the job below a data root.
func (j job) dir() string { return layout.TenantProduct(j.id, string(j.product)) }

// worker runs the cycles of accounts on a machine, as mkt schedule does. In a cluster it shares them
// with others, and publishes to the object store.
type worker struct {
	s        *system
	l        *life
	circuits *fetch.Circuits
	states   *transform.States

	// Of a cluster.
	store     *store.Store
	conn      *coordination.Conn
	member    *coordination.Member
	collected map[string]time.Time

	mu    sync.Mutex
	moved chan struct{} // closed when accounts may have moved
}

// work is the program of a machine with a worker.
func (s *system) work(l *life) {
	if _, err := s.enter(l, "start", ""); err != nil || !sleep(l.ctx, s.span("start", l.id(), 0, 2*time.Second)) {
		return
	}
	wk := &worker{s: s, l: l, circuits: new(fetch.Circuits), states: new(transform.States), collected: map[string]time.Time{}, moved: make(chan struct{})}
	if s.depot != nil {
		wk.store = s.depot.store(l)
	}
	if s.broker != nil {
		if !wk.join() {
			return
		}
		defer wk.conn.Close()
		defer wk.member.End()
	}
	var all sync.WaitGroup
	for _, j := range s.jobs {
		all.Go(func() { wk.schedule(j) })
	}
	if s.translog != nil {
		all.Go(func() { s.translog.run(l) })
	}
	all.Wait()
}

// join makes the worker a member of the cluster.
func (wk *worker) join() bool {
	address, err := coordination.Parse("nats://10.0.0.1:4222")
	if err == nil {
		wk.conn, err = coordination.Open(coordination.Options{Address: address, Use: coordination.ForLeases, Name: wk.l.machine.name, Version: "test",
			Installation: key.Fingerprint(), Now: wk.l.steady(), Random: wk.s.spread(wk.l, "connect"), Dialer: &dialer{wk.s.broker, wk.l}})
	}
	if err == nil {
		wk.member, err = wk.conn.Join(1, wk.move)
	}
	if err != nil {
		wk.s.fail(progress, "%s cannot join the cluster: %v", wk.l.machine.name, err)
	}
	return err == nil
}

func (wk *worker) move() {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	close(wk.moved)
	wk.moved = make(chan struct{})
}

func (wk *worker) moves() <-chan struct{} {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	return wk.moved
}

// retry is how soon a run that found its lease taken is tried again.
const retry = 10 * time.Second

// schedule runs the cycles of a job, each at its time, and at once if one is overdue.
func (wk *worker) schedule(j job) {
	l, every := wk.l, wk.s.every[j.product]
	offset := wk.s.span("offset", j.String(), 0, every/2)
	for {
		if _, err := wk.s.enter(l, "tick", j.String()); err != nil {
			return
		}
		moved := wk.moves()
		now := l.machine.now()
		next := now.Add(-offset).Truncate(every).Add(every + offset)
		wait := next.Sub(now)
		tenant, runs := wk.s.office.active(j)
		if !runs {
			wait = min(wait, time.Minute*wk.s.pace)
		} else if wk.member == nil || wk.member.Owns(j.id) && wk.isOverdue(j, next.Add(-every)) {
			if wk.cycle(j, tenant) && wk.member != nil {
				wait = min(wait, retry)
			} else {
				wait = next.Sub(l.machine.now())
			}
		}
		over := time.NewTimer(max(wait, time.Second))
		select {
		case <-over.C:
		case <-moved:
		case <-l.ctx.Done():
		}
		over.Stop()
		if l.ctx.Err() != nil {
			return
		}
	}
}

// isOverdue reports whether the newest complete fetch of a job that this machine knows of began before
// its newest tick.
func (wk *worker) isOverdue(j job, tick time.Time) bool {
	run, err := health.Read(within(wk.l.disk, j.dir()), health.StepFetch)
	return err != nil || run == nil || !run.OK || run.Code != "" || run.StartedAt.Before(tick) || run.StartedAt.After(wk.l.machine.now().Add(time.Minute))
}

// cycle runs one cycle of a job. again says to try it again soon.
func (wk *worker) cycle(j job, t *tenants.Tenant) (again bool) {
	l := wk.l
	err := wk.run(j, t)
	var taken *coordination.Taken
	var trouble *coordination.Trouble
	switch {
	case err == nil, l.dead.Load(), l.ctx.Err() != nil:
		return false
	case errors.As(err, &taken), errors.As(err, &trouble), errors.Is(err, coordination.ErrLost):
		wk.s.note("%s: %s: %s", l.machine.name, j, shorten(err))
		return true
	}
	wk.s.note("%s: %s: %s", l.machine.name, j, shorten(err))
	wk.s.trouble(l, j, err)
	return false
}

// shorten keeps the log readable, and the same in all runs.
func shorten(err error) string {
	text := err.Error()
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return text
}

// run takes the lease of a job, and runs the steps.
func (wk *worker) run(j job, t *tenants.Tenant) error {
	if wk.conn == nil {
		return wk.locked(wk.l.ctx, j, t)
	}
	lease, err := wk.conn.Take(wk.l.ctx, coordination.Run{Client: j.id, Product: string(j.product), Purpose: "mkt schedule", Short: j.product == football.LiveIntelligence})
	if err != nil {
		return err
	}
	ctx, end := lease.Bind(wk.l.ctx)
	defer lease.Release()
	defer end()
	defer wk.s.book.leased(wk.l, j, ctx)()
	err = wk.locked(ctx, j, t)
	if err != nil && errors.Is(context.Cause(ctx), coordination.ErrLost) {
		err = coordination.ErrLost
	}
	return err
}

// locked takes the lock of a job's folder, and runs the steps.
func (wk *worker) locked(ctx context.Context, j job, t *tenants.Tenant) (err error) {
	l := wk.l
	root, data := l.root(j.dir()), l.root(".")
	if err := durable.MkdirAllSync(data, j.dir()); err != nil {
		return err
	}
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	if wk.store == nil {
		return wk.steps(ctx, j, t, root, data, nil)
	}
	open := func(context.Context) (*store.Store, error) { return wk.store, nil }
	attached, err := store.Attach(ctx, open, data, root, j.id, j.product)
	if attached != nil && attached.Damage != nil {
		wk.s.note("%s: %s: damage, copied again: %s", l.machine.name, j, attached.Damage)
	}
	if err != nil {
		return err
	}
	if wk.ranElsewhere(j) {
		return nil
	}
	err = wk.steps(ctx, j, t, root, data, attached)
	var damage *publish.DamageError
	if errors.As(err, &damage) && attached.Dataset != nil {
		if again := attached.CopyAgain(ctx, root, damage); again == nil {
			wk.s.note("%s: %s: damage, to be copied again: %s", l.machine.name, j, shorten(err))
			err = nil
		}
	}
	if attached.Dataset != nil {
		account := l.root(layout.Tenant(j.id))
		if e := attached.Dataset.ShipStates(context.WithoutCancel(ctx), root, account); e != nil && !isKilled(e) {
			wk.s.note("%s: %s: state files: %s", l.machine.name, j, shorten(e))
		}
	}
	return err
}

// ranElsewhere reports whether another worker ran the tick that is due now.
func (wk *worker) ranElsewhere(j job) bool {
	every, now := wk.s.every[j.product], wk.l.machine.now()
	offset := wk.s.span("offset", j.String(), 0, every/2)
	return !wk.isOverdue(j, now.Add(-offset).Truncate(every).Add(offset))
}

// steps fetches, transforms and publishes.
func (wk *worker) steps(ctx context.Context, j job, t *tenants.Tenant, root, data durable.FS, attached *store.Attached) error {
	l, now := wk.l, wk.l.machine.now
	if j.product == football.MarketEngine {
		j.begins()
	}
	tenant, err := t.FetchTenant()
	if err != nil {
		return err
	}
	if wk.s.serve != nil { // servers do not read the accounts file, and know no credential
		tenant.Fingerprint = ""
	}
	open := func(sealed, id, provider string) (credential.Secret, error) {
		return credential.Open(wk.s.office.key, sealed, id, provider)
	}
	fetched, err := fetch.Run(ctx, fetch.Options{
		Tenant: tenant, Product: j.product, Root: root, Open: open, Provider: lookup, Limits: fetchLimits, Circuits: wk.circuits,
		Now: now, Random: wk.s.spread(l, j.String()), Transport: wk.s.network.dialer(l),
	})
	if err == nil && j.product == football.MarketEngine && j.refused() {
		wk.s.fail(failureSaid, "%s on %s: the provider gave no data, and the fetch of %s says %s", j, l.machine.name, fetched.Cycle, fetched.Outcome)
	}
	if err := wk.said(ctx, j, health.StepFetch, err); err != nil {
		return err
	}
	transformed, err := transform.Run(ctx, transform.Options{ClientID: j.id, Product: j.product, Cycle: fetched.Cycle, Root: root, Data: data, Key: key,
		Now: now, Workers: 1, Version: "test", States: wk.states})
	if err := wk.said(ctx, j, "transform", err); err != nil {
		return err
	}
	o := publish.Options{ClientID: j.id, Product: j.product, Cycle: transformed.Cycle, Root: root, Now: now, Version: "test", Retention: wk.s.keeps(l), RunID: wk.s.runID(l, j)}
	if attached != nil {
		o.Store = attached
	}
	of := within(l.disk, j.dir())
	before := wk.s.book.holding(of, j)
	published, err := publish.Run(ctx, o)
	if err == nil && !published.Already {
		wk.s.book.published(l, j, published)
	}
	if wk.s.depot == nil && !l.dead.Load() {
		wk.s.book.retained(of, j, l.machine.name, o.Retention, before, false)
	}
	if err := wk.said(ctx, j, "publish", err); err != nil || published.Already {
		return err
	}
	if attached != nil && attached.Dataset != nil {
		if last := wk.collected[j.String()]; time.Since(last) >= time.Hour {
			wk.collected[j.String()] = time.Now()
			if _, err := attached.Dataset.Collect(ctx, store.CollectOptions{Policy: keep.For(j.product)}); err != nil {
				wk.s.note("%s: %s: retention in the store: %s", l.machine.name, j, shorten(err))
			}
		}
	}
	if wk.conn != nil {
		wk.conn.Announce(j.id, string(j.product), published.Version)
	}
	return nil
}

// spread returns the randomness of waits. It depends on the time, so that no order of calls matters.
func (s *system) spread(l *life, what string) func() float64 {
	return func() float64 { return s.roll("spread", fmt.Sprint(l.id(), what, time.Since(s.began))) }
}

// runID is unique, and the same in every run with the same seed.
func (s *system) runID(l *life, j job) string {
	return fmt.Sprintf("%s-%d-%d", l.machine.name, l.number, time.Since(s.began).Milliseconds())
}

// said checks that the state file says how a step ended.
func (wk *worker) said(ctx context.Context, j job, step string, err error) error {
	l := wk.l
	if ctx.Err() != nil || l.dead.Load() {
		return errors.Join(err, errKilled)
	}
	run, failed := health.Read(within(l.disk, j.dir()), step)
	switch {
	case l.machine.full || failed != nil:
	case err == nil && (run == nil || !run.OK):
		wk.s.fail("a run that worked says so", "%s: %s on %s: %+v", j, step, l.machine.name, run)
	case err != nil && run != nil && run.OK && run.FinishedAt.After(l.machine.now().Add(-time.Second)) && !isStorage(err):
		wk.s.fail("a run that failed says so", "%s: %s on %s: %v; state %+v", j, step, l.machine.name, err, run)
	}
	return err
}
