package reader

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"mkt/publish/football"
	"mkt/publish/layout"
)

type poller interface{ poll(context.Context) }

// liveRounds is how many times more often live datasets are refreshed than others: a
// live publication must be served within a second.
const liveRounds = 2

func isLiveDataset(p poller) bool {
	d, ok := p.(*Dataset)
	return ok && d.product == football.LiveIntelligence
}

// Run refreshes all datasets until ctx ends, then waits for the loads in progress.
func (l *Library) Run(ctx context.Context) {
	var busy sync.Map // being refreshed
	var wait sync.WaitGroup
	defer wait.Wait()
	if !l.o.Clock.IsPast() { // nothing new is published there
		if w, err := fsnotify.NewWatcher(); err == nil { // else each publication is found by the next poll
			l.notices = w
			wait.Go(func() { l.pollNoticed(ctx, &wait) })
		}
	}
	begin := func(p poller, ended func()) {
		if _, running := busy.LoadOrStore(p, true); running {
			return
		}
		d, ok := p.(*Dataset)
		wait.Go(func() {
			defer busy.Delete(p)
			if ok && l.o.Clock.IsPast() {
				d.follow(ctx, ended)
				return
			}
			p.poll(ctx)
			ended()
		})
	}
	var opening sync.WaitGroup
	for _, p := range l.served() {
		opening.Add(1)
		begin(p, opening.Done)
	}
	wait.Go(func() { opening.Wait(); close(l.loaded) })
	interval := max(l.o.Poll/liveRounds, time.Millisecond)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for round := 1; sleep(ctx, tick.C); round++ {
		list := l.served()
		if round%liveRounds != 0 {
			list = slices.DeleteFunc(list, func(p poller) bool { return !isLiveDataset(p) })
		}
		steps := pollSteps(len(list), interval)
		for step := range steps {
			for _, p := range list[len(list)*step/steps : len(list)*(step+1)/steps] {
				begin(p, func() {})
			}
			if step+1 < steps && !sleep(ctx, time.After(interval/time.Duration(steps))) {
				return
			}
		}
	}
}

// pollNoticed polls the datasets whose pointers were replaced, as the operating system says. Its
// notices are hints: without them, a publication is found by the next poll.
func (l *Library) pollNoticed(ctx context.Context, wait *sync.WaitGroup) {
	defer l.notices.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.notices.Errors: // such as lost notices
		case e := <-l.notices.Events:
			if filepath.Base(e.Name) != layout.Current || !e.Has(fsnotify.Create) && !e.Has(fsnotify.Write) {
				continue
			}
			if d, ok := l.watched.Load(filepath.Dir(e.Name)); ok && d.(*Dataset).noticed.CompareAndSwap(false, true) {
				wait.Go(func() { d.(*Dataset).poll(ctx) })
			}
		}
	}
}

// sleep returns false if ctx has ended.
func sleep(ctx context.Context, until <-chan time.Time) bool {
	select {
	case <-until:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// pollSteps returns in how many steps to begin the polls of a round: those of many accounts
// would delay requests and pushes if they began at once.
func pollSteps(polls int, interval time.Duration) int {
	const each, pause, most = 16, 10 * time.Millisecond, 20
	return max(1, min(polls/each, int(interval/pause), most))
}

// served returns the datasets and connections for [Library.Run] to refresh, and closes the
// datasets of tenants that are no longer served.
func (l *Library) served() []poller {
	var list []poller
	wanted := map[string]bool{}
	for _, id := range l.o.Clients() {
		wanted[id] = true
		t := l.Tenant(id)
		list = append(list, t.connection)
		for _, d := range t.datasets {
			list = append(list, d)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, t := range l.tenants {
		if wanted[id] {
			continue
		}
		delete(l.tenants, id)
		for _, d := range t.datasets {
			go d.close() // waits for a refresh in progress
		}
	}
	return list
}
