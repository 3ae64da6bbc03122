package simulation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/internal/coordination"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/store"
	"mkt/transform"
)

// worker runs the cycles of accounts on a machine with the scheduler of mkt schedule. In a cluster it shares
// them with others, and publishes to the object store.
type worker struct {
	s        *services
	l        *life
	circuits *fetch.Circuits
	states   *transform.States

	// Of a cluster.
	store    *store.Store
	shipping *store.Runs
	conn     *coordination.Conn
	member   *coordination.Member

	schedule *schedule.Scheduler
	owned    map[string]bool // jobs that it schedules
	moved    chan struct{}   // accounts may have come or gone

	mu      sync.Mutex
	arrived map[string]bool      // jobs that came from another worker, and have not run here
	idle    map[string]time.Time // since when a job does not run
}

// work is the program of a machine with a worker.
func (s *services) work(l *life) {
	if _, err := l.enter("start", ""); err != nil || !sleep(l.ctx, s.span("start", l.id(), 0, 2*time.Second)) {
		return
	}
	wk := &worker{s: s, l: l, circuits: new(fetch.Circuits), states: new(transform.States), moved: make(chan struct{}, 1), arrived: map[string]bool{}, idle: map[string]time.Time{}}
	// Slots for all jobs: nothing else decides which of those that are due at once has to wait.
	wk.schedule = schedule.New(schedule.Options{Now: l.machine.now, Run: wk.tick, Jitter: 30 * time.Second, Parallel: len(s.jobs)})
	if s.depot != nil {
		wk.store = s.depot.store(l)
		wk.shipping = &store.Runs{Open: func(context.Context) (*store.Store, error) { return wk.store, nil }, Now: l.steady(), Log: slog.New(slog.DiscardHandler), Lost: coordination.ErrLost}
	}
	if s.broker != nil {
		if !wk.join() {
			return
		}
		defer wk.conn.Close()
		defer wk.member.End()
	}
	var all sync.WaitGroup
	overdue := wk.assign()
	all.Go(func() { wk.schedule.Run(l.ctx, overdue...) })
	all.Go(wk.follow)
	if s.depot == nil {
		all.Go(func() { s.translog.run(l) })
	}
	all.Wait()
}

// join makes the worker a member of the cluster.
func (wk *worker) join() bool {
	address, err := coordination.Parse("nats://10.0.0.1:4222")
	if err == nil {
		wk.conn, err = coordination.Open(coordination.Options{Address: address, Use: coordination.ForLeases, Name: wk.l.machine.name, Version: "test",
			Installation: key.Fingerprint(), Now: wk.l.steady(), Random: wk.l.spread("connect"), Dialer: &dialer{wk.s.broker, wk.l}})
	}
	if err == nil {
		wk.member, err = wk.conn.Join(1, wk.move)
	}
	if err != nil {
		wk.s.fail(progress, "%s cannot join the cluster: %v", wk.l.machine.name, err)
	}
	return err == nil
}

// lease takes the leases of jobs for a command on a machine of a cluster.
func (s *services) lease(l *life, purpose string, jobs ...job) (release func(), err error) {
	if s.broker == nil {
		return func() {}, nil
	}
	address, err := coordination.Parse("nats://10.0.0.1:4222")
	if err != nil {
		return nil, err
	}
	conn, err := coordination.Open(coordination.Options{Address: address, Use: coordination.ForLeases, Name: l.machine.name, Version: "test",
		Installation: key.Fingerprint(), Now: l.steady(), Random: l.spread(purpose), Dialer: &dialer{s.broker, l}})
	if err != nil {
		return nil, err
	}
	release = conn.Close
	waits, cancel := context.WithTimeout(l.ctx, 25*time.Second)
	defer cancel()
	if err = conn.Wait(waits); err != nil {
		release()
		return nil, err
	}
	for _, j := range jobs {
		one, err := conn.Take(l.ctx, coordination.Run{Client: j.id, Product: string(j.product), Purpose: purpose, Short: j.product == football.LiveIntelligence})
		if err != nil {
			release()
			return nil, err
		}
		before := release
		release = func() { one.Release(); before() }
	}
	return release, nil
}

// move says that accounts have come or gone.
func (wk *worker) move() {
	select {
	case wk.moved <- struct{}{}:
	default:
	}
}

// retry is how soon a run that found its lease taken is tried again.
const retry = 10 * time.Second

// follow schedules the accounts of the file, in a cluster those that are this worker's, as mkt schedule
// does.
func (wk *worker) follow() {
	if _, err := wk.l.enter("follow", ""); err != nil { // the scheduler runs when this has its turn
		return
	}
	for {
		over := time.NewTimer(time.Minute * wk.s.slowness)
		select {
		case <-over.C:
		case <-wk.moved:
		case <-wk.l.ctx.Done():
		}
		over.Stop()
		if wk.l.ctx.Err() != nil {
			return
		}
		wk.schedule.Now(wk.assign()...)
	}
}

// assign returns the jobs that have come and are overdue.
func (wk *worker) assign() (overdue []string) {
	var entries []schedule.Job
	file, owned := wk.s.office.newest(), map[string]bool{}
	for _, j := range wk.s.jobs {
		if _, there := file.Tenant(j.id); !there || wk.member != nil && !wk.member.Owns(j.id) {
			continue
		}
		entries = append(entries, schedule.Job{Name: j.String(), Expr: "@every " + wk.s.every[j.product].String(), Lane: string(j.product)})
		owned[j.String()] = true
		if !wk.owned[j.String()] {
			wk.mu.Lock()
			wk.arrived[j.String()], wk.idle[j.String()] = wk.member != nil, time.Now()
			wk.mu.Unlock()
			if wk.isOverdue(j) {
				overdue = append(overdue, j.String())
			}
		}
	}
	wk.owned = owned
	wk.checkTicks()
	if err := wk.schedule.Set(entries); err != nil {
		wk.s.fail(progress, "%s: %v", wk.l.machine.name, err)
	}
	return overdue
}

// checkTicks checks that every job runs at its ticks, whatever is done to the clock.
func (wk *worker) checkTicks() {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	for _, j := range wk.s.jobs {
		since, idle := wk.idle[j.String()]
		if idle && wk.owned[j.String()] && time.Since(since) > 2*wk.s.every[j.product]+2*time.Minute {
			wk.s.fail(onTime, "%s on %s has not run for %s", j, wk.l.machine.name, time.Since(since))
		}
	}
}

// runs notes that a job runs until the end.
func (wk *worker) runs(name string) (end func()) {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	delete(wk.idle, name)
	return func() {
		wk.mu.Lock()
		defer wk.mu.Unlock()
		wk.idle[name] = time.Now()
	}
}

// tick runs one cycle of a job.
func (wk *worker) tick(_ context.Context, name string) error {
	defer wk.runs(name)()
	j := wk.s.jobs[slices.IndexFunc(wk.s.jobs, func(j job) bool { return j.String() == name })]
	if _, err := wk.l.enter("tick", name); err != nil {
		return nil
	}
	if tenant, runs := wk.s.office.active(j); runs && wk.cycle(j, tenant) && wk.member != nil {
		wk.schedule.Retry(name, wk.l.machine.now().Add(retry))
	}
	return nil
}

// isOverdue reports whether the newest fetch of a job that this machine knows of began a cadence ago.
func (wk *worker) isOverdue(j job) bool {
	run, err := health.Read(within(wk.l.disk, j.dir()), health.StepFetch)
	return err != nil || run == nil || wk.l.machine.now().Sub(run.StartedAt) >= wk.s.every[j.product]
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
	wk.l.leases.Store(j.dir(), ctx)
	defer wk.l.leases.Delete(j.dir())
	wk.l.machine.runs()
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
	if _, there := wk.s.office.newest().Tenant(j.id); !there { // the account was deleted since the run was decided
		if err := errors.Join(root.Remove(layout.Lock), data.Remove(j.dir())); err == nil {
			_ = data.Remove(layout.Tenant(j.id)) // the other product may be there
		}
		return cli.ErrDeleted
	}
	if wk.store == nil {
		return wk.steps(ctx, j, t, root, data, nil)
	}
	attached, err := wk.shipping.Begin(ctx, data, root, j.id, j.product)
	if attached.Damage != nil {
		wk.s.note("%s: %s: damage, copied again: %s", l.machine.name, j, attached.Damage)
	}
	if err != nil {
		return err
	}
	if wk.ranElsewhere(j) {
		return nil
	}
	if err = wk.steps(ctx, j, t, root, data, attached); err == nil {
		l.hasRun(j.String())
	}
	e := store.Ended{Err: err, Stopping: l.ctx.Err() != nil}
	if damage := (*publish.DamageError)(nil); errors.As(err, &damage) {
		e.Damage = damage
	}
	if wk.shipping.End(ctx, attached, root, e) {
		wk.s.note("%s: %s: damage, to be copied again: %s", l.machine.name, j, shorten(err))
		return nil
	}
	return err
}

// ranElsewhere reports whether the worker that a job came from has run the tick that is due now.
func (wk *worker) ranElsewhere(j job) bool {
	wk.mu.Lock()
	arrived := wk.arrived[j.String()]
	delete(wk.arrived, j.String())
	wk.mu.Unlock()
	run, err := health.Read(within(wk.l.disk, j.dir()), health.StepFetch)
	return arrived && err == nil && run != nil && run.OK && run.Code == "" && !run.StartedAt.Before(wk.l.machine.now().Truncate(wk.s.every[j.product]))
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
	if wk.s.served { // servers do not read the accounts file, and know no credential
		tenant.Fingerprint = ""
	}
	open := func(sealed, id, provider string) (credential.Secret, error) {
		return credential.Open(wk.s.office.key, sealed, id, provider)
	}
	fetched, err := fetch.Run(ctx, fetch.Options{
		Tenant: tenant, Product: j.product, Root: root, Open: open, Provider: lookup, Limits: fetchLimits, Circuits: wk.circuits,
		Now: now, Random: l.spread(j.String()), Transport: wk.s.network.dialer(l),
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
	o := publish.Options{ClientID: j.id, Product: j.product, Cycle: transformed.Cycle, Root: root, Now: now, Version: "test", Retention: wk.s.keeps(l), RunID: l.runID()}
	if attached != nil {
		o.Store = attached
	}
	of := within(l.disk, j.dir())
	before := j.inventory(of)
	published, err := publish.Run(ctx, o)
	if err == nil && !published.Already {
		wk.s.book.published(l, j, published)
	}
	if !l.dead.Load() {
		j.retained(of, l.machine, o.Retention, before, false)
	}
	if err := wk.said(ctx, j, "publish", err); err != nil || published.Already {
		return err
	}
	if attached != nil && attached.Dataset != nil {
		had, head, err := wk.s.depot.packs(j)
		if err != nil {
			return err
		}
		collected, err := wk.shipping.Collect(ctx, attached.Dataset, o.Retention.For(j.product))
		if collected && ctx.Err() == nil && !l.dead.Load() {
			j.retainedIn(wk.s.depot, o.Retention, had, head, err == nil)
		}
		if err != nil {
			wk.s.note("%s: %s: retention in the store: %s", l.machine.name, j, shorten(err))
		}
	}
	if wk.conn != nil {
		wk.conn.Announce(j.id, string(j.product), published.Version)
	}
	return nil
}

// said checks that the state file says how a step ended.
func (wk *worker) said(ctx context.Context, j job, step string, err error) error {
	l := wk.l
	if ctx.Err() != nil || l.dead.Load() {
		return errors.Join(err, errKilled)
	}
	run, failed := health.Read(within(l.disk, j.dir()), step)
	switch {
	case l.hasFailed(j.dir()) || failed != nil: // the log says that the state file was not written
	case err == nil && (run == nil || !run.OK):
		wk.s.fail("a run that worked says so", "%s: %s on %s: %+v", j, step, l.machine.name, run)
	case err != nil && run != nil && run.OK && run.FinishedAt.After(l.machine.now().Add(-time.Second)) && !isStorage(err):
		wk.s.fail("a run that failed says so", "%s: %s on %s: %v; state %+v", j, step, l.machine.name, err, run)
	}
	return err
}

// trouble judges a failed run of one machine: on a disk that lost nothing and can be read, nothing is called damaged.
func (s *services) trouble(l *life, j job, err error) {
	m := l.machine
	if s.depot == nil && !m.isRotten() && !m.suspect && !m.hasLost() && errors.Is(err, snapshot.ErrDamaged) && !isStorage(err) {
		s.fail(wholeIsWhole, "%s on %s: %v", j, m.name, err)
	}
}
