package simulation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/internal/schedule"
	"mkt/internal/schedule/sharing"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/tracking"
)

// worker runs the cycles of accounts on a machine with the scheduler of mkt schedule. In a cluster it shares
// them with others, and publishes to the object store.
type worker struct {
	s        *services
	l        *life
	circuits *fetch.Circuits
	states   *tracking.States

	schedule *schedule.Scheduler
	share    *sharing.Share

	// Of a cluster.
	store    *store.Store
	shipping *store.Runs
	conn     *cluster.Conn

	mu   sync.Mutex
	idle map[string]time.Time // by entry: since when it does not run
}

// work is the program of a machine with a worker.
func (s *services) work(l *life) {
	if _, err := l.enter("start", ""); err != nil || !sleep(l.ctx, s.span("start", l.id(), 0, 2*time.Second)) {
		return
	}
	wk := &worker{s: s, l: l, circuits: new(fetch.Circuits), states: new(tracking.States), idle: map[string]time.Time{}}
	// Slots for all jobs: nothing else decides which of those that are due at once has to wait.
	wk.schedule = schedule.New(schedule.Options{Now: l.machine.now, Run: wk.tick, Jitter: 30 * time.Second, Parallel: len(s.jobs)})
	wk.share = sharing.New(sharing.Options{Scheduler: wk.schedule, CatchUp: true, Now: l.machine.now, Log: slog.New(slog.DiscardHandler), Newest: wk.newest,
		PaceOf: func(string) time.Duration { return 0 }, Decide: wk.came, Left: func(string) {}})
	var all sync.WaitGroup
	if s.depot == nil {
		all.Go(func() { s.translog.run(l) })
	} else {
		wk.store = s.depot.store(l)
		wk.shipping = &store.Runs{Open: func(context.Context) (*store.Store, error) { return wk.store, nil }, Now: l.steady(), Log: slog.New(slog.DiscardHandler), Lost: cluster.ErrLost}
		wk.conn = s.redis.open(l)
		defer wk.conn.Close()
		defer wk.share.Join(l.ctx, wk.conn)()
		defer s.shift.begins(l, wk.share.Owns)()
		all.Go(func() { s.shift.watch(l) })
	}
	wk.set()
	var overdue []string
	if wk.conn == nil {
		for _, t := range wk.share.File().Tenants {
			wk.came(&t)
		}
		overdue = wk.share.Overdue()
	}
	all.Go(func() { wk.schedule.Run(l.ctx, overdue...) })
	all.Go(wk.follow)
	all.Wait()
}

// newest returns the newest fetch of a job that this machine knows of.
func (wk *worker) newest(id string, p football.Product) *health.Run {
	disk := wk.l.disk
	if wk.l.dead.Load() {
		disk = wk.l.machine.disk // what is left
	}
	run, err := health.Read(within(disk, layout.TenantProduct(id, string(p))), health.StepFetch)
	if err != nil {
		return nil
	}
	return run
}

// came notes that the jobs of an account have come.
func (wk *worker) came(t *accounts.Tenant) {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	for p := range t.Products {
		wk.idle[sharing.Entry(t.ID, p)] = time.Now()
	}
}

// lease takes the leases of jobs for a command on a machine of a cluster.
func (s *services) lease(l *life, purpose string, jobs ...job) (release func(), err error) {
	if s.redis == nil {
		return func() {}, nil
	}
	conn := s.redis.open(l)
	release = conn.Close
	for _, j := range jobs {
		_, one, err := conn.Take(l.ctx, j.id, string(j.product), purpose)
		if err != nil {
			release()
			return nil, err
		}
		s.shift.checkClock(l)
		before, ends := release, s.shift.runs(j)
		release = func() { one.Release(); ends(true); before() }
	}
	return release, nil
}

// follow puts the accounts of the file in force, as mkt schedule does.
func (wk *worker) follow() {
	if _, err := wk.l.enter("follow", ""); err != nil { // the scheduler runs when this has its turn
		return
	}
	for sleep(wk.l.ctx, time.Minute*wk.s.slowness) {
		wk.set()
		wk.checkTicks()
	}
}

func (wk *worker) set() {
	file := wk.s.office.newest()
	if err := wk.share.Set(file, func() *accounts.File { return file }); err != nil {
		wk.s.fail(progress, "%s: %v", wk.l.machine.name, err)
	}
}

// checkTicks checks that every job runs at its ticks, whatever is done to the clock.
func (wk *worker) checkTicks() {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	for _, j := range wk.s.jobs {
		since, idle := wk.idle[j.entry()]
		if _, there := wk.share.File().Tenant(j.id); idle && there && wk.share.RunsHere(j.id) && time.Since(since) > 2*wk.s.every[j.product]+2*time.Minute {
			wk.s.fail(onTime, "%s on %s has not run for %s", j, wk.l.machine.name, time.Since(since))
		}
	}
}

// runs notes that a job runs until ends is called, which says whether it ran.
func (wk *worker) runs(name string) (ends func(ran bool)) {
	wk.mu.Lock()
	defer wk.mu.Unlock()
	since := wk.idle[name]
	delete(wk.idle, name)
	return func(ran bool) {
		wk.mu.Lock()
		defer wk.mu.Unlock()
		if wk.idle[name] = since; ran {
			wk.idle[name] = time.Now()
		}
	}
}

// tick runs one cycle of a job.
func (wk *worker) tick(_ context.Context, name string) error {
	j := wk.s.jobs[slices.IndexFunc(wk.s.jobs, func(j job) bool { return j.entry() == name })]
	ends, ran, began := []func(bool){wk.runs(name)}, false, wk.l.machine.now()
	if wk.conn != nil {
		ends = append(ends, wk.s.shift.runs(j))
	}
	defer func() {
		for _, end := range ends {
			end(ran)
		}
	}()
	if _, err := wk.l.enter("tick", name); err != nil {
		return nil
	}
	tenant, runs := wk.s.office.active(j)
	if !runs {
		ran = true
		return nil
	}
	err := wk.run(j, tenant)
	if wk.l.dead.Load() { // after the fetch, a machine that starts again waits for the next tick
		run := wk.newest(j.id, j.product)
		ran = run != nil && !run.StartedAt.Before(began)
	} else {
		ran = !errors.As(err, new(*cluster.AwayError)) && !errors.As(err, new(*cluster.TakenError))
	}
	if err == nil || wk.l.dead.Load() || wk.l.ctx.Err() != nil {
		return nil
	}
	wk.s.note("%s: %s: %s", wk.l.machine.name, j, shorten(err))
	wk.s.trouble(wk.l, j, err)
	wk.share.After(name, err)
	return nil
}

// run takes the lease of a job, and runs the steps.
func (wk *worker) run(j job, t *accounts.Tenant) error {
	if wk.conn == nil {
		return wk.locked(wk.l.ctx, j, t)
	}
	ctx, lease, err := wk.share.Member().Claim(wk.l.ctx, j.id, string(j.product), "mkt schedule")
	if err != nil {
		return err
	}
	defer lease.Release()
	if lease != nil {
		defer wk.s.shift.leased(wk.l, j, ctx)()
	}
	wk.l.leases.Store(j.dir(), ctx)
	defer wk.l.leases.Delete(j.dir())
	wk.l.machine.runs()
	err = wk.locked(ctx, j, t)
	if err != nil && errors.Is(context.Cause(ctx), cluster.ErrLost) {
		err = cluster.ErrLost
	}
	return err
}

// locked takes the lock of a job's folder, and runs the steps.
func (wk *worker) locked(ctx context.Context, j job, t *accounts.Tenant) (err error) {
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
		return accounts.ErrDeleted
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
	if err := wk.share.Check(t, j.product); err != nil {
		return nil
	}
	if err = wk.steps(ctx, j, t, root, data, attached); err == nil {
		l.hasRun(j.String())
	}
	if wk.shipping.End(ctx, attached, root, store.Ended{Err: err, Stopping: l.ctx.Err() != nil}) {
		wk.s.note("%s: %s: damage, to be copied again: %s", l.machine.name, j, shorten(err))
		return nil
	}
	return err
}

// steps fetches, transforms and publishes.
func (wk *worker) steps(ctx context.Context, j job, t *accounts.Tenant, root, data durable.FS, attached *store.Attached) error {
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
		if err != nil && !l.dead.Load() {
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
