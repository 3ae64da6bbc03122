// Package replica keeps a data root up to date with an object store, so that serve answers
// from it on a machine on which no cycle runs. Only what the newest answers need is copied,
// and what they do not need any more is deleted: of each account's product two snapshots,
// the change log and the state files.
package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/internal/cluster/store"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Options of a replica.
type Options struct {
	Store    *store.Store
	Data     string // the data root that is kept up to date
	Clients  func() []string
	Products []football.Product
	// Every is how often the store is asked for newer publications without a notice.
	Every time.Duration
	// AtOnce is how many datasets are refreshed at the same time; 0 = 8.
	AtOnce int
	Now    func() time.Time
	Log    *slog.Logger
}

// Replica keeps a data root up to date. Safe for concurrent use.
type Replica struct {
	o     Options
	slots chan struct{} // taken while a dataset is copied

	mu      sync.Mutex
	states  map[name]*state
	notices chan name
	missed  chan struct{} // see NotifyAll
	copied  atomic.Int64
	failed  atomic.Int64
	answers atomic.Int64 // Unix nanoseconds of the newest answer of the store
}

type name struct {
	client  string
	product football.Product
}

// state is the known state of a dataset.
type state struct {
	noticed  atomic.Bool   // a refresh after a notice is waiting for turn
	turn     chan struct{} // taken while it is refreshed, perhaps for as long as the store is slow
	verified bool          // since the process began
	failing  bool
}

// New returns a replica. Run keeps the data root up to date.
func New(o Options) *Replica {
	return &Replica{o: o, slots: make(chan struct{}, cmp.Or(o.AtOnce, 8)), states: map[name]*state{}, notices: make(chan name, 1024), missed: make(chan struct{}, 1)}
}

// Stats returns how many publications were copied, how many refreshes failed, and when the
// store last answered; zero if it never did.
func (r *Replica) Stats() (copied, failed int64, answered time.Time) {
	if at := r.answers.Load(); at != 0 {
		answered = time.Unix(0, at)
	}
	return r.copied.Load(), r.failed.Load(), answered
}

// Notify says that a dataset has a newer publication. It is a hint that may be lost.
func (r *Replica) Notify(clientID string, p football.Product) {
	select {
	case r.notices <- name{clientID, p}:
	default: // many are waiting: the next round finds it
	}
}

// NotifyAll says that any dataset may have a newer publication.
func (r *Replica) NotifyAll() {
	select {
	case r.missed <- struct{}{}:
	default: // a round is to come
	}
}

// Refresh copies the newer files of every dataset, and deletes the datasets of accounts that
// are not served any more.
func (r *Replica) Refresh(ctx context.Context) {
	clients := r.o.Clients()
	var all sync.WaitGroup
	for _, client := range clients {
		all.Go(func() { r.account(ctx, client) })
		for _, p := range r.o.Products {
			all.Go(func() { _ = r.refresh(ctx, name{client, p}, true) }) // an error is noted
		}
	}
	all.Wait()
	r.forget(clients)
}

// Run refreshes all datasets at intervals, and one after a notice of it, until ctx ends.
func (r *Replica) Run(ctx context.Context) {
	var busy sync.WaitGroup
	defer busy.Wait()
	tick := time.NewTicker(r.o.Every)
	defer tick.Stop()
	round := make(chan struct{}, 1) // holds a token while a round is under way
	refresh := func() {
		select {
		case round <- struct{}{}:
			busy.Go(func() { r.Refresh(ctx); <-round })
		default: // the round before is still under way
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-r.notices:
			if r.serves(n) && r.state(n).noticed.CompareAndSwap(false, true) {
				busy.Go(func() { _ = r.refresh(ctx, n, false) }) // an error is noted
			}
		case <-r.missed:
			refresh()
		case <-tick.C:
			refresh()
		}
	}
}

// serves reports whether a dataset is served here: others are not copied.
func (r *Replica) serves(n name) bool {
	return slices.Contains(r.o.Products, n.product) && slices.Contains(r.o.Clients(), n.client)
}

func (r *Replica) state(n name) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states[n] == nil {
		r.states[n] = &state{turn: make(chan struct{}, 1)}
	}
	return r.states[n]
}

// refresh brings one dataset up to date. states says to copy the state files even if there
// is no newer publication.
func (r *Replica) refresh(ctx context.Context, n name, states bool) error {
	s := r.state(n)
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.noticed.Store(false)
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := r.follow(ctx, n, s, states)
	if errors.Is(err, durable.ErrLocked) { // a run on this machine brings it up to date
		return nil
	}
	if ctx.Err() == nil {
		r.note(n, s, err)
	}
	return err
}

// Fetch copies the newer files of one dataset: a client may have seen them at another replica.
func (r *Replica) Fetch(ctx context.Context, clientID string, p football.Product) error {
	return r.refresh(ctx, name{clientID, p}, false)
}

func (r *Replica) note(n name, s *state, err error) {
	log := r.o.Log.With("tenant", n.client, "product", string(n.product))
	if err != nil {
		r.failed.Add(1)
		if !s.failing {
			log.Warn("cannot copy from the object store; what was copied before is served", "error", err)
		}
	} else {
		r.answers.Store(r.o.Now().UnixNano())
		if s.failing {
			log.Info("copies from the object store again")
		}
	}
	s.failing = err != nil
}

// account copies the state files of an account.
func (r *Replica) account(ctx context.Context, clientID string) {
	root, err := r.open(layout.Tenant(clientID))
	if err == nil {
		defer root.Close()
		err = r.o.Store.CopyAccountStates(ctx, clientID, root)
	}
	if ctx.Err() == nil {
		r.note(name{client: clientID}, r.state(name{client: clientID}), err)
	}
}

// open opens a folder of the data root. What a power cut takes of a copy is copied again (see
// intact), so that nothing waits for the disk, but for a root in which cycles run.
func (r *Replica) open(dir string) (*durable.Disk, error) {
	open := durable.OpenUnsynced
	if _, err := os.Stat(filepath.Join(r.o.Data, filepath.FromSlash(dir), layout.RawDir)); err == nil {
		open = durable.OpenRoot
	}
	data, err := open(r.o.Data)
	if err != nil {
		return nil, fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	return data.MakeWithin(dir)
}

func (r *Replica) follow(ctx context.Context, n name, s *state, states bool) error {
	root, err := r.open(layout.TenantProduct(n.client, string(n.product)))
	if err != nil {
		return err
	}
	defer root.Close()
	d := r.o.Store.Dataset(n.client, n.product)
	works, err := worksHere(root)
	if err != nil {
		return err
	}
	if works {
		return r.followHere(ctx, d, root)
	}
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	before, err := r.intact(root, s)
	if err != nil {
		return err
	}
	head, err := d.Follow(ctx, root)
	if errors.Is(err, store.ErrDiverged) {
		head, err = r.otherHistory(ctx, d, root, before, err)
	}
	if err == nil && head.Version > 0 && head.SHA256 != before.SHA256 {
		r.copied.Add(1)
		err = prune(root, before, head)
	}
	if states { // after the publication that they name
		err = errors.Join(err, d.CopyStates(ctx, root))
	}
	return err
}

// followHere brings a root up to date in which cycles run: something newer is of another machine.
// It looks without the lock, so that a run never finds the root locked because the store is slow.
// If there is nothing newer, the state files stay: those of the store are older.
func (r *Replica) followHere(ctx context.Context, d *store.Dataset, root *durable.Disk) error {
	here, there, err := d.Compare(ctx, root)
	if err != nil || here.Version == there.Version {
		return err
	}
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := d.Sync(ctx, root); err != nil {
		return err
	}
	r.copied.Add(1)
	return nil
}

// intact returns the newest publication of a root. After the start of the process its files
// are compared with their hashes: if one is damaged, everything is copied again.
func (r *Replica) intact(root *durable.Disk, s *state) (snapshot.Commit, error) {
	c, found, err := snapshot.Last(root)
	if err == nil && found && !s.verified {
		var m snapshot.Manifest
		if m, err = snapshot.Open(root, c); err == nil {
			err = snapshot.Verify(root, c.Dir(), m)
		}
		for i, all := 0, m.Segments(); err == nil && i < len(all); i++ {
			err = snapshot.VerifySegment(root, all[i])
		}
	}
	if snapshot.IsDamage(err) {
		r.o.Log.Warn("a copied file is damaged: everything of this dataset is copied again", "error", err)
		c, err = snapshot.Commit{}, clear(root)
	}
	s.verified = err == nil
	return c, err
}

// otherHistory starts again with an empty root if the store has another history than the root,
// because the store was restored from a backup. It returns diverged if the histories are the same.
func (r *Replica) otherHistory(ctx context.Context, d *store.Dataset, root *durable.Disk, here snapshot.Commit, diverged error) (snapshot.Commit, error) {
	there, _, err := d.Head(ctx, 0)
	if err != nil {
		return here, err
	}
	if there.Version == 0 || there.HistoryID == here.HistoryID {
		return here, diverged
	}
	if err := clear(root); err != nil {
		return here, err
	}
	return d.Follow(ctx, root)
}

// errWorksHere: cycles run on this machine with this root.
var errWorksHere = errors.New("cycles were run with this data root: mkt recover repairs it")

// clear deletes everything that was copied, but not a root in which cycles run.
func clear(root *durable.Disk) error {
	if works, err := worksHere(root); err != nil || works {
		return errors.Join(err, errWorksHere)
	}
	for _, dir := range []string{layout.Current, layout.CommitsDir, layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir, layout.First} {
		if err := root.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func worksHere(root durable.ReadFS) (bool, error) { return durable.Exists(root, layout.RawDir) }

// prune deletes everything older than two publications.
func prune(root *durable.Disk, before, head snapshot.Commit) error {
	if works, err := worksHere(root); err != nil || works {
		return err // retention does it
	}
	first, used := head.Version, map[string]bool{}
	if before.Version+1 == head.Version {
		first = before.Version
	}
	for _, c := range []snapshot.Commit{before, head} {
		if c.Version == 0 {
			continue
		}
		m, err := snapshot.Open(root, c)
		if err != nil {
			return err
		}
		used[c.Dir()] = true
		for _, s := range m.Segments() {
			used[s.File] = true
		}
	}
	if err := snapshot.WriteFirst(root, first); err != nil {
		return err
	}
	return errors.Join(
		removeUnless(root, layout.SnapshotsDir, func(name string) bool { return used[name] }),
		removeUnless(root, layout.ChangesDir, func(name string) bool { return used[name] }),
		removeUnless(root, layout.StepsDir, func(name string) bool { return used[name] }),
		removeUnless(root, layout.CommitsDir, func(name string) bool {
			n, ok := layout.ParseCommit(strings.TrimPrefix(name, layout.CommitsDir+"/"))
			return !ok || n >= first
		}))
}

func removeUnless(root *durable.Disk, dir string, keep func(name string) bool) error {
	entries, err := root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := dir + "/" + e.Name(); !keep(name) {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget deletes the copies of accounts that are not served any more.
func (r *Replica) forget(clients []string) {
	served := map[string]bool{}
	for _, id := range clients {
		served[id] = true
	}
	entries, err := os.ReadDir(r.o.Data)
	if err != nil {
		return // nothing was copied yet
	}
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), layout.Tenant(""))
		if !ok || !layout.ValidTenantID(id) || served[id] {
			continue
		}
		all := true
		for _, p := range r.o.Products {
			all = r.forgetDataset(id, p) && all
		}
		if all {
			r.forgetStates(id)
		}
	}
}

// forgetDataset deletes the copy of a dataset, and reports whether nothing of it is left.
func (r *Replica) forgetDataset(clientID string, p football.Product) bool {
	root, err := durable.OpenWithin(r.o.Data, layout.TenantProduct(clientID, string(p)))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // it has no such product
	}
	defer root.Close()
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return false
	}
	defer lock.Close()
	if works, err := worksHere(root); err != nil || works {
		return false
	}
	err = errors.Join(clear(root), root.RemoveAll(layout.StateDir))
	r.noteForgotten(clientID, err)
	return err == nil
}

// forgetStates deletes the state files of an account whose datasets are gone.
func (r *Replica) forgetStates(clientID string) {
	root, err := durable.OpenWithin(r.o.Data, layout.Tenant(clientID))
	if err == nil {
		err = root.RemoveAll(layout.StateDir)
		root.Close()
	}
	r.noteForgotten(clientID, err)
}

func (r *Replica) noteForgotten(clientID string, err error) {
	if err != nil {
		r.o.Log.Warn("the copy of an account that is not served any more cannot be deleted", "tenant", clientID, "error", err)
	}
}
