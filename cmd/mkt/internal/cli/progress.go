package cli

import (
	"sync"

	"github.com/schollz/progressbar/v3"

	"mkt/cmd/mkt/internal/plain"
)

// Bar shows the progress of a run on a terminal. A nil bar shows nothing. It is safe for
// concurrent use.
type Bar struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// NewBar returns a bar, or nil if the output is not a terminal.
func (env *Env) NewBar(what string) *Bar {
	if env.JSON() || !OnTerminal(env.Errs) {
		return nil
	}
	return &Bar{bar: progressbar.NewOptions(1,
		progressbar.OptionSetWriter(env.Errs.(*output).exactly()), // the bar moves the cursor
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
	_ = b.bar.Set(done) // a failed write to the terminal must not stop the run
}

// Done removes the bar.
func (b *Bar) Done() {
	if b != nil {
		_ = b.bar.Clear()
	}
}
