package main

import (
	"context"
	"sync"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/publish/retention"
)

// pruneEvery is how often at most, of one job and in one process, what failed
// cycles left is listed.
const pruneEvery = 10 * time.Minute

// pruning bounds what a cycle's steps leave behind when they fail, for as long as
// nothing is published: only a publication collects what is old.
type pruning struct {
	app  *app
	keep retention.Policy

	mu   sync.Mutex // guards last
	last map[string]time.Time
}

// after is a step that prunes when it failed. What goes wrong with it is for the
// next time: the step's own error is what counts.
func (p *pruning) after(do step) step {
	return func(ctx context.Context, t task) (report, error) {
		r, err := do(ctx, t)
		if err != nil && ctx.Err() == nil && p.isDue(t.job) {
			p.prune(t)
		}
		return r, err
	}
}

func (p *pruning) isDue(j job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[string]time.Time{}
	}
	now := p.app.now()
	if last, ran := p.last[j.String()]; ran && now.Sub(last) < pruneEvery {
		return false
	}
	p.last[j.String()] = now
	return true
}

func (p *pruning) prune(t task) {
	log := p.app.log.With("tenant", t.tenant.ID, "product", t.product)
	done, err := collectFailed(retention.Options{Root: t.root, Now: p.app.now(), Policy: p.keep.For(t.product)})
	if err != nil {
		log.Warn("collecting what failed cycles left stopped early", "error", err)
	}
	if done.Cycles > 0 {
		log.Info("collected what failed cycles left", "cycles", done.Cycles)
	}
}

// collectFailed spares the newest raw cycle that has something in it: the next
// transform begins from it.
func collectFailed(o retention.Options) (retention.Collected, error) {
	var spare []layout.CycleID
	newest, found, err := raw.Newest(o.Root)
	if err != nil {
		return retention.Collected{}, err
	}
	if found {
		spare = append(spare, newest.CycleID)
	}
	return retention.CollectUnpublished(o, spare...)
}
