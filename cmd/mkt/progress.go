package main

import (
	"sync"

	"github.com/schollz/progressbar/v3"

	"mkt/cmd/mkt/internal/plain"
)

// bar shows a person on a terminal how far a run is. A nil bar shows nothing. It is
// safe for concurrent use.
type bar struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// newBar returns a bar, nil if nobody would see it.
func (a *app) newBar(what string) *bar {
	if a.json() || !onTerminal(a.errs) {
		return nil
	}
	return &bar{bar: progressbar.NewOptions(1,
		progressbar.OptionSetWriter(a.errs.(*output).exactly()), // it moves the cursor
		progressbar.OptionSetDescription(plain.Text(what)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b *bar) set(done, total int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar.ChangeMax(max(total, 1))
	_ = b.bar.Set(done) // a terminal that cannot be written to is no reason to stop
}

func (b *bar) done() {
	if b != nil {
		_ = b.bar.Clear()
	}
}
