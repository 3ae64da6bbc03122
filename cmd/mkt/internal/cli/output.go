package cli

import (
	"fmt"
	"io"
	"sync"

	"mkt/cmd/mkt/internal/plain"
)

// output is the standard output or the standard error. What a terminal would obey is
// shown as an escape, see package plain. It remembers that it could not be written: a
// command whose answer is lost has not done what was asked. Safe for concurrent use.
type output struct {
	to io.Writer

	mu     sync.Mutex // guards what follows
	text   *plain.Writer
	failed error // the first
}

func NewOutput(to io.Writer) *output { return &output{to: to, text: plain.NewWriter(to)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.noted(o.text.Write(p))
}

// noted remembers a failed write. The lock is held.
func (o *output) noted(n int, err error) (int, error) {
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// exactly returns a writer that leaves every byte as it is, for data.
func (o *output) exactly() io.Writer { return exactOutput{o} }

type exactOutput struct{ of *output }

func (e exactOutput) Write(p []byte) (int, error) {
	e.of.mu.Lock()
	defer e.of.mu.Unlock()
	return e.of.noted(e.of.to.Write(p))
}

// Err is what kept the output from being written, nil when all of it was.
func (o *output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.noted(0, o.text.Flush())
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("the output is not complete: %w", o.failed)
}

// DataOut is where data goes that another program reads: as it is, unless a person
// looks at it.
func (env *Env) DataOut() io.Writer {
	if o, is := env.Out.(*output); is && !OnTerminal(o) {
		return o.exactly()
	}
	return env.Out
}

// ForScripts tells whether the ready line is JSON: asked for, or read by a
// program, since nobody looks at a pipe.
func (env *Env) ForScripts() bool { return env.JSON() || !OnTerminal(env.Out) }
