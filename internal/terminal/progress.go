package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/terminal/printable"
)

// screen is a terminal with the progress of the runs in its last line. Any other output replaces
// that line. It has no escape codes: the line is overwritten with blanks.
type screen struct {
	errs *output

	mu      sync.Mutex
	bars    []*Bar
	shown   int  // columns of the line of progress now on the terminal, 0 if there is none
	midLine bool // the last output does not end a line
}

// ShareScreen lets both outputs share the line of progress, if the second is a terminal.
func ShareScreen(out, errs io.Writer) {
	e, is := errs.(*output)
	if !is || e.terminal == nil {
		return
	}
	e.screen = &screen{errs: e}
	if o, is := out.(*output); is && o.terminal != nil {
		o.screen = e.screen
	}
}

// print writes to one of the outputs of the terminal.
func (s *screen) print(to io.Writer, p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	if len(p) > 0 {
		s.midLine = p[len(p)-1] != '\n'
	}
	return to.Write(p)
}

// erase removes the line of progress. s.mu must be held.
func (s *screen) erase() {
	if s.shown > 0 {
		fmt.Fprintf(s.errs.to, "\r%*s\r", s.shown, "")
		s.shown = 0
	}
}

// draw writes the line of progress.
func (s *screen) draw(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wide := ColumnsOf(s.errs)
	if s.midLine || len(s.bars) == 0 || wide < 20 {
		return
	}
	texts := make([]string, len(s.bars))
	for i, b := range s.bars {
		texts[i] = b.text(now)
	}
	line := strings.Join(texts, " | ")
	if len(s.bars) == 1 && wide >= 80 {
		line = s.bars[0].gauge() + line
	}
	line = Cut(line, wide-1)
	shown := width(line)
	// A failed write to the terminal must not stop the run.
	fmt.Fprintf(s.errs.to, "\r%s%*s", line, max(0, s.shown-shown), "")
	s.shown = shown
}

// Bar shows how far a run is on a terminal. A nil bar shows nothing. It is safe for concurrent
// use.
type Bar struct {
	screen *screen
	name   string
	stop   func() // ends its goroutine
	ended  sync.WaitGroup

	mu          sync.Mutex // guards the following fields
	begun       time.Time
	counted     time.Time // when the first counts were seen: the wait before them is not part of the rate
	first       int       // how much was done then
	units       string
	done, total int
	grows       bool // total is a lower bound
	note        string
}

// redraw is how often the line of progress is written. A shorter run shows none.
const redraw = 200 * time.Millisecond

// NewBar returns the bar of a run on the standard error. units are the counted things, such as
// "requests"; "" hides counts without a meaning for a person. It returns nil if that is not a
// terminal, or under CI. A nil [Bar] shows nothing.
func NewBar(errs io.Writer, name, units string) *Bar {
	e, is := errs.(*output)
	if !is || e.screen == nil || isDumb() || isSet("CI") {
		return nil
	}
	b := &Bar{screen: e.screen, name: printable.Text(name), units: units}
	b.screen.mu.Lock()
	b.screen.bars = append(b.screen.bars, b)
	b.screen.mu.Unlock()
	stopped := make(chan struct{})
	b.stop = sync.OnceFunc(func() { close(stopped) })
	b.ended.Go(func() { b.run(stopped) })
	return b
}

// isSet reports whether a variable such as CI is on.
func isSet(name string) bool {
	value := os.Getenv(name)
	return value != "" && value != "0" && value != "false"
}

// isDumb reports whether the terminal only prints.
func isDumb() bool { return os.Getenv("TERM") == "dumb" }

func (b *Bar) run(stopped <-chan struct{}) {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			b.mu.Lock()
			if b.begun.IsZero() {
				b.begun = now.Add(-redraw)
			}
			if b.counted.IsZero() && b.done > 0 {
				b.counted, b.first = now, b.done
			}
			b.mu.Unlock()
			b.screen.draw(now)
		case <-stopped:
			return
		}
	}
}

// Set shows how much is done.
func (b *Bar) Set(done, total int) {
	b.change(func() { b.done, b.total = done, total })
}

// SetSoFar sets the counts of a run whose total may still grow, and a note.
func (b *Bar) SetSoFar(done, total int, note string) {
	b.change(func() { b.done, b.total, b.grows, b.note = done, total, true, note })
}

// Note shows a text behind the counts.
func (b *Bar) Note(text string) {
	b.change(func() { b.note = text })
}

func (b *Bar) change(set func()) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	set()
}

// Done removes the bar. It may be called again.
func (b *Bar) Done() {
	if b == nil {
		return
	}
	b.stop()
	b.ended.Wait()
	b.screen.mu.Lock()
	defer b.screen.mu.Unlock()
	b.screen.bars = slices.DeleteFunc(b.screen.bars, func(one *Bar) bool { return one == b })
	if len(b.screen.bars) == 0 {
		b.screen.erase()
	}
}

// text describes the progress of the run: "acme fetch: 12 of 80+ requests, 9/s, at least 8s to go".
func (b *Bar) text(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts := []string{}
	var elapsed time.Duration
	if !b.begun.IsZero() {
		elapsed = now.Sub(b.begun)
	}
	switch {
	case b.total <= 0:
	case b.units == "":
		parts = append(parts, fmt.Sprintf("%.0f %%", 100*float64(b.done)/float64(b.total)))
	case b.grows:
		parts = append(parts, fmt.Sprintf("%d of %d+ %s", b.done, b.total, b.units))
	default:
		parts = append(parts, fmt.Sprintf("%d of %d %s", b.done, b.total, b.units))
	}
	if since := now.Sub(b.counted); b.done > b.first && b.done < b.total && !b.counted.IsZero() && since >= time.Second {
		rate := float64(b.done-b.first) / since.Seconds()
		if b.units != "" {
			parts = append(parts, fmt.Sprintf("%.3g/s", rate))
		}
		left := time.Duration(float64(b.total-b.done) / rate * float64(time.Second)).Round(time.Second)
		word := "about"
		if b.grows {
			word = "at least"
		}
		parts = append(parts, fmt.Sprintf("%s %v to go", word, max(left, time.Second)))
	}
	if b.note != "" {
		parts = append(parts, b.note)
	}
	if b.total <= 0 {
		parts = append(parts, elapsed.Round(time.Second).String())
	}
	return b.name + ": " + strings.Join(parts, ", ")
}

// gauge draws how much is done.
func (b *Bar) gauge() string {
	const wide = 16
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total <= 0 {
		return ""
	}
	full := min(max(wide*b.done/b.total, 0), wide)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", wide-full) + "] "
}
