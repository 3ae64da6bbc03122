package live

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
)

// draw shows the fixture.
func (f *liveView) draw(out io.Writer, now time.Time) error {
	w := bufio.NewWriter(out)
	wide := terminal.ColumnsOf(out)
	line := func(lead, text string) { fmt.Fprintln(w, terminal.Indented(lead, printable.Text(text), wide)) }
	line("", fmt.Sprintf("%s  %s : %s  %s", words(f.Home), number(f.ScoreHome), number(f.ScoreAway), words(f.Away)))
	line("", fmt.Sprintf("%s, %s, %s", words(f.League), f.FixtureID, f.Tenant))
	line("", f.clock(now))
	line("\nmomentum  ", f.momentum(now, wide))
	f.drawRedCards(w, now)
	if f.Detailed {
		f.drawPressure(w, wide)
	} else {
		line("\n", "Pressure and timeline are not kept: the fixture is outside the detail set.")
	}
	if err := w.Flush(); err != nil || !f.Detailed {
		return err
	}
	return f.drawTimeline(out)
}

func (f *liveView) clock(now time.Time) string {
	var b strings.Builder
	if !f.InPlay {
		b.WriteString("left play, ")
	}
	printable.Fprintf(&b, "%s %s", words(f.Period), scoreboard(f.Minute, f.Second))
	if f.Added != nil && *f.Added > 0 {
		printable.Fprintf(&b, " +%d", *f.Added)
	}
	if f.Running != nil && !*f.Running {
		b.WriteString(", clock stopped")
	}
	printable.Fprintf(&b, ", seen %v ago", max(0, now.Sub(f.FreshAt)).Round(time.Second))
	return b.String()
}

func scoreboard(minute, second *int32) string {
	switch {
	case minute == nil:
		return "--:--"
	case second == nil:
		return fmt.Sprintf("%02d:--", *minute)
	}
	return fmt.Sprintf("%02d:%02d", *minute, *second)
}

func (f *liveView) stale(now time.Time) bool {
	return f.InPlay && f.StaleAt != nil && now.After(*f.StaleAt)
}

// momentum draws a scale with home on the left, or says why there is none.
func (f *liveView) momentum(now time.Time, wide int) string {
	switch {
	case f.stale(now) && words(f.Reason) != string(football.NotInPlay):
		return "none: " + string(football.FeedStale)
	case f.MomentumHome == nil:
		return "none: " + words(f.Reason)
	}
	const widest, around = 40, len("momentum  home 50  50 away   HOME, STRONG  ")
	width := widest
	if wide > 0 {
		width = min(max(wide-around, 10), widest)
	}
	home := int(*f.MomentumHome)
	at := home * width / 100
	return fmt.Sprintf("home %2d %s%s %-2d away   %s, %s", home, strings.Repeat("█", at), strings.Repeat("░", width-at), 100-home, words(f.Leader), words(f.Strength))
}

// drawRedCards says how momentum treats a side with red cards.
func (f *liveView) drawRedCards(w io.Writer, now time.Time) {
	if f.Men == nil || f.MomentumHome == nil || f.stale(now) {
		return
	}
	for _, side := range []struct{ name, keeps string }{{"home", f.Men.Home}, {"away", f.Men.Away}} {
		if side.keeps != "1" {
			printable.Fprintf(w, "          red cards %s: %s keeps %s of its pressure\n", f.Men.RedCards, side.name, side.keeps)
		}
	}
}

// Rows of the graph for each side, the columns in front of it, and the steps
// within a row.
const (
	graphRows = 3
	gutter    = len("home  ") + 1
)

var steps = []rune(" ▁▂▃▄▅▆▇█")

// drawPressure draws both sides' pressure, one column a minute, and the halves below each other
// if the terminal is too narrow. On the axis, "·" marks a minute not sent or not seen, and "?" one
// sent without a value.
func (f *liveView) drawPressure(w io.Writer, wide int) {
	most := int32(1)
	for _, b := range f.Buckets {
		for _, n := range []*int32{b.Home, b.Away} {
			if n != nil {
				most = max(most, *n)
			}
		}
	}
	printable.Fprintf(w, "\npressure by minute, at most %d\n", most)
	for _, part := range inParts(f.Buckets, wide-gutter) {
		drawMinutes(w, part, most)
	}
}

// inParts cuts minutes into parts of at most n, at half-time if possible. n < 1 is no limit.
func inParts(all []liveBucket, n int) [][]liveBucket {
	if n < 1 || len(all) <= n {
		return [][]liveBucket{all}
	}
	var parts [][]liveBucket
	second := slices.IndexFunc(all, func(b liveBucket) bool { return b.Minute == 46 && b.Added == 0 })
	for _, half := range [][]liveBucket{all[:max(second, 0)], all[max(second, 0):]} {
		for part := range slices.Chunk(half, n) {
			parts = append(parts, part)
		}
	}
	return parts
}

func drawMinutes(w io.Writer, part []liveBucket, most int32) {
	sides := []struct {
		name string
		of   func(liveBucket) *int32
	}{{"home", func(b liveBucket) *int32 { return b.Home }}, {"away", func(b liveBucket) *int32 { return b.Away }}}
	for _, side := range sides {
		for row := graphRows - 1; row >= 0; row-- {
			name := ""
			if row == 0 {
				name = side.name
			}
			printable.Fprintf(w, "%5s │%s\n", name, graphRow(part, row, most, side.of))
		}
	}
	axis := make([]rune, 0, len(part))
	for _, b := range part {
		axis = append(axis, mark(b))
	}
	printable.Fprintf(w, "%5s └%s\n%s\n", "", string(axis), minutes(part))
}

func graphRow(part []liveBucket, row int, most int32, of func(liveBucket) *int32) string {
	line := make([]rune, 0, len(part))
	for _, b := range part {
		n := of(b)
		if n == nil {
			line = append(line, ' ')
			continue
		}
		full := len(steps) - 1
		height := int(*n) * full * graphRows / int(most)
		if *n > 0 {
			height = max(height, 1)
		}
		line = append(line, steps[min(max(height-row*full, 0), full)])
	}
	return strings.TrimRight(string(line), " ")
}

func mark(b liveBucket) rune {
	switch football.BucketState(b.State) {
	case football.BucketMissing:
		return '·'
	case football.BucketNull:
		return '?'
	}
	return '─'
}

// minutes writes every fifteenth minute below its column.
func minutes(part []liveBucket) string {
	line := []byte(strings.Repeat(" ", gutter+len(part)+len("120")))
	for i, b := range part {
		if b.Minute%15 == 0 && b.Added == 0 {
			copy(line[gutter+i:], fmt.Sprint(b.Minute))
		}
	}
	return strings.TrimRight(string(line), " ")
}

func (f *liveView) drawTimeline(out io.Writer) error {
	w := terminal.NewTableWriter(out)
	fmt.Fprint(w, "\ntimeline, newest first\n")
	for i := len(f.Timeline) - 1; i >= 0; i-- {
		e := &f.Timeline[i]
		printable.Fprintf(w, "  %s\t%s\t%s\t%s\t%v\n", scoreboard(e.Minute, e.Second), e.State, sideOf(e.SideProven), e.Certainty, e.Until.Sub(e.At).Round(time.Second))
	}
	if len(f.Withdrawn) == 0 {
		return w.Flush()
	}
	older := max(0, len(f.Withdrawn)-mostWithdrawn)
	fmt.Fprint(w, "\ntaken back, newest first\n")
	for _, e := range slices.Backward(f.Withdrawn[older:]) {
		printable.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", scoreboard(e.Minute, e.Second), e.State, sideOf(e.SideProven), e.Reason, e.WithdrawnAt.UTC().Format("15:04:05 UTC"))
	}
	if older > 0 {
		fmt.Fprintf(w, "  and %d before, in --output json\n", older)
	}
	return w.Flush()
}

// mostWithdrawn bounds the withdrawn entries that are drawn.
const mostWithdrawn = 10

func sideOf(side string) string {
	if side == string(football.SideNone) {
		return ""
	}
	return side
}
