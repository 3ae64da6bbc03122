package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"mkt/internal/terminal/printable"
)

// output is the standard output or the standard error. It shows control characters as escapes,
// see package printable. It remembers the first failed write, because a command whose output is
// lost has failed. It is safe for concurrent use.
type output struct {
	to       io.Writer
	terminal *os.File // to, if it is a terminal
	colours  bool

	mu     sync.Mutex // guards the following fields
	text   *printable.Writer
	screen *screen // nil if there is no line of progress
	failed error   // the first
}

// NewOutput returns an output on top of a writer.
func NewOutput(to io.Writer) *output {
	o := &output{to: to}
	if f, is := to.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		o.terminal = f
	}
	o.colours = wantsColours(o.terminal != nil)
	o.text = printable.NewWriter(emitter{o})
	return o
}

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

// emitter writes text without control characters. o.mu must be held.
type emitter struct{ *output }

func (e emitter) Write(p []byte) (int, error) {
	if e.screen != nil {
		return e.screen.print(e.to, p)
	}
	return e.to.Write(p)
}

// exactly returns a writer for data: it changes no byte.
func (o *output) exactly() io.Writer { return exactOutput{o} }

type exactOutput struct{ of *output }

func (e exactOutput) Write(p []byte) (int, error) {
	e.of.mu.Lock()
	defer e.of.mu.Unlock()
	return e.of.noted(emitter{e.of}.Write(p))
}

// Err ends the output. It returns the first failed write, which made the output incomplete.
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
func DataOut(w io.Writer) io.Writer {
	if o, is := w.(*output); is && !OnTerminal(o) {
		return o.exactly()
	}
	return w
}

// ColumnsOf returns the width of the terminal w, 0 if w is none.
func ColumnsOf(w any) int {
	o, is := w.(*output)
	if !is || o.terminal == nil {
		return 0
	}
	wide, _, err := term.GetSize(int(o.terminal.Fd()))
	if err != nil {
		return 0
	}
	return wide
}

// OnTerminal reports whether w is a terminal.
func OnTerminal(w any) bool {
	if o, is := w.(*output); is {
		return o.terminal != nil
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
