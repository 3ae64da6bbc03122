package cli

import (
	"sync"

	"github.com/schollz/progressbar/v3"

	"mkt/cmd/mkt/internal/plain"
)

// Bar shows a person on a terminal how far a run is. A nil bar shows nothing. It is
// safe for concurrent use.
type Bar struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// NewBar returns a bar, nil if the output is not a terminal.
func (env *Env) NewBar(what string) *Bar {
	if env.JSON() || !OnTerminal(env.Errs) {
		return nil
	}
	return &Bar{bar: progressbar.NewOptions(1,
		progressbar.OptionSetWriter(env.Errs.(*output).exactly()), // it moves the cursor
		progressbar.OptionSetDescription(plain.Text(what)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// Set shows how much is done.
func (b *Bar) Set(done, total int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar.ChangeMax(max(total, 1))
	_ = b.bar.Set(done) // a terminal that cannot be written to is no reason to stop
}

// Done removes the bar.
func (b *Bar) Done() {
	if b != nil {
		_ = b.bar.Clear()
	}
}
