package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// ErrPagerLeft is the error of a write after somebody has left the pager. It is no failure.
var ErrPagerLeft = errors.New("the pager was left")

const defaultPager = "less -FRX"

// page shows the standard output in a pager if it is a terminal and gets longer than it.
func (env *Env) page() {
	o, is := env.Out.(*output)
	command := defaultPager
	for _, name := range []string{"PAGER", EnvPrefix + "_PAGER"} {
		if own, set := os.LookupEnv(name); set {
			command = own
		}
	}
	command = strings.TrimSpace(command)
	if !is || o.terminal == nil || env.noPager || isDumb() || command == "" || command == "cat" {
		return
	}
	if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil && !strings.ContainsAny(command, "=$\"'`\\(") {
		if command != defaultPager {
			fmt.Fprintf(env.Errs, "mkt: the pager %q is not there: the answer is printed without it; set PAGER or %s_PAGER, or give --no-pager\n", command, EnvPrefix)
		}
		return
	}
	wide, high, err := term.GetSize(int(o.terminal.Fd()))
	if err != nil || wide < 1 || high < 2 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pager == nil {
		o.pager = &pager{command: command, of: o, wide: wide, high: high}
	}
}

// pager holds an answer until it is longer than the terminal, and then starts the program to show
// it. It is guarded by the mutex of its output.
type pager struct {
	command    string
	of         *output
	wide, high int

	held    bytes.Buffer // the beginning of the answer, until the program is started
	lines   int          // how many lines of the terminal held takes
	column  int          // in which held ends
	child   *exec.Cmd
	pipe    io.WriteCloser
	ended   bool
	started bool
}

func (p *pager) Write(text []byte) (int, error) {
	if p.started {
		return p.pass(text)
	}
	p.held.Write(text)
	p.measure(text)
	if p.lines < p.high-1 {
		return len(text), nil
	}
	p.start()
	_, err := p.pass(p.held.Bytes())
	p.held = bytes.Buffer{}
	return len(text), err
}

// measure counts the terminal lines of a text.
func (p *pager) measure(text []byte) {
	for _, c := range text {
		switch {
		case c == '\n':
			p.lines++
			p.column = 0
		case c&0xc0 != 0x80: // not a further byte of a character
			if p.column++; p.column > p.wide {
				p.lines++
				p.column = 1
			}
		}
	}
}

// start starts the program. If it cannot be started the answer goes to the terminal.
func (p *pager) start() {
	p.started = true
	if s := p.of.screen; s != nil {
		s.yield()
	}
	child := exec.Command("/bin/sh", "-c", p.command)
	child.Stdout, child.Stderr = p.of.terminal, p.of.terminal
	child.Env = os.Environ()
	for _, setting := range []string{"LESS=FRX", "LESSCHARSET=utf-8", "LV=-c"} {
		if name, _, _ := strings.Cut(setting, "="); os.Getenv(name) == "" {
			child.Env = append(child.Env, setting)
		}
	}
	pipe, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		return
	}
	p.child, p.pipe = child, pipe
	signal.Ignore(os.Interrupt) // Ctrl-C belongs to the pager now
}

// pass writes to the program, or to the terminal if there is none.
func (p *pager) pass(text []byte) (int, error) {
	if p.child == nil {
		return p.of.to.Write(text)
	}
	n, err := p.pipe.Write(text)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = ErrPagerLeft
	}
	return n, err
}

// end writes the rest, and waits until the program has ended.
func (p *pager) end() error {
	if p.ended {
		return nil
	}
	p.ended = true
	if !p.started {
		p.started = true
		if s := p.of.screen; s != nil {
			_, err := s.print(p.of.to, p.held.Bytes())
			return err
		}
		_, err := p.pass(p.held.Bytes())
		return err
	}
	if p.child == nil {
		return nil
	}
	_ = p.pipe.Close() // it may be closed already
	_ = p.child.Wait() // how a pager ends says nothing about the answer
	return nil
}
