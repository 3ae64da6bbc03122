package cli

import (
	"fmt"
	"io"
	"sync"

	"mkt/cmd/mkt/internal/plain"
)

// output is the standard output or the standard error. It shows control characters as escapes,
// see package plain. It remembers the first failed write, because a command whose output is
// lost has failed. It is safe for concurrent use.
type output struct {
	to io.Writer

	mu     sync.Mutex // guards what follows
	text   *plain.Writer
	failed error // the first
}

// NewOutput returns an output that writes to a writer.
func NewOutput(to io.Writer) *output { return &output{to: to, text: plain.NewWriter(to)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.noted(o.text.Write(p))
}

// noted remembers a failed write. o.mu must be held.
func (o *output) noted(n int, err error) (int, error) {
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// exactly returns a writer for data: it changes no byte.
func (o *output) exactly() io.Writer { return exactOutput{o} }

type exactOutput struct{ of *output }

func (e exactOutput) Write(p []byte) (int, error) {
	e.of.mu.Lock()
	defer e.of.mu.Unlock()
	return e.of.noted(e.of.to.Write(p))
}

// Err returns the error that kept the output from being written completely.
func (o *output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.noted(0, o.text.Flush())
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("the output is not complete: %w", o.failed)
}

// DataOut returns the writer for data that another program reads: its bytes are unchanged,
// unless they go to a terminal.
func (env *Env) DataOut() io.Writer {
	if o, is := env.Out.(*output); is && !OnTerminal(o) {
		return o.exactly()
	}
	return env.Out
}

// ForScripts reports whether the ready line is JSON: if JSON is asked for, or if the
// output is not a terminal and so is read by a program.
func (env *Env) ForScripts() bool { return env.JSON() || !OnTerminal(env.Out) }
