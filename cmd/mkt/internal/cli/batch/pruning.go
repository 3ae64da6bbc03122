package batch

import (
	"context"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// pruneEvery is the shortest time between two collections for one job in one process.
const pruneEvery = 10 * time.Minute

// pruning deletes the files of failed cycles while nothing is published, because otherwise only a
// publication deletes old files.
type pruning struct {
	group *Group
	keep  retention.Policy

	mu   sync.Mutex // guards last
	last map[string]time.Time
}

// after returns the step, followed by pruning if it fails. An error of pruning is only logged,
// because the error of the step matters more.
func (p *pruning) after(do Step) Step {
	return func(ctx context.Context, t Task) (Report, error) {
		r, err := do(ctx, t)
		if err != nil && ctx.Err() == nil && p.isDue(t.Job) {
			p.prune(t)
		}
		return r, err
	}
}

func (p *pruning) isDue(j Job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[string]time.Time{}
	}
	now := p.group.Now()
	if last, ran := p.last[j.String()]; ran && now.Sub(last) < pruneEvery {
		return false
	}
	p.last[j.String()] = now
	return true
}

func (p *pruning) prune(t Task) {
	log := p.group.Log.With("tenant", t.Tenant.ID, "product", t.Product)
	head, _, err := snapshot.Last(t.Root)
	var done retention.Collected
	if err == nil {
		done, err = publishing.CollectFailed(retention.Options{Root: t.Root, Now: p.group.Now(), Policy: p.keep.For(t.Product)}, head)
	}
	if err != nil {
		log.Warn("some files of failed cycles could not be deleted", "error", err)
	}
	if done.Cycles > 0 {
		log.Info("deleted files of failed cycles", "cycles", done.Cycles)
	}
}
