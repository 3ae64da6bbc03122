// Package matchpage draws one fixture in play as a page: clock, score, momentum over the match
// clock, pressure and counters by minute, timeline, and a list of unknown values. Unknown values
// are drawn as unknown: a stretch without momentum is a gap with its reason, never a line at 50.
//
// Its input is the published rows and, if the archive still has them, the states of the fixture
// cycle by cycle. It opens no file and reads no clock.
package matchpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"mkt/internal/evidence/page"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Match is a fixture of a live snapshot.
type Match struct {
	Row      table.LiveRow
	Counters []table.LiveCounterRow
	Timeline []table.LiveTimelineRow
	Buckets  []table.LiveBucketRow
	Periods  []table.LivePeriodRow

	Commit   snapshot.Commit
	Manifest snapshot.Manifest

	// Past has the states cycle by cycle, oldest first; it is empty if the archive has none.
	// Damaged is the number of unreadable cycles.
	Past    []football.Live
	Damaged int
	Tracing string // how far the archive was read, if it was not read to the end; "" if it was

	Now     time.Time
	MadeBy  string
	Command string
}

//go:embed match.html
var body string

var layoutOf = page.Template(body, functions)

var functions = template.FuncMap{"clock": clockOf, "ago": spanOf, "count": countOf, "times": timesOf, "lower": lower, "half": func(n int32) string { return halfName(int(n)) }, "certain": certain,
	"upper": upperFirst, "ticks": func(clock, bottom float64, all []tick) ticksView { return ticksView{clock, bottom, bottom + 4, all} },
	"left": func(width float64) string { return fmt.Sprintf("%.1f", 100-width) },
	"marked": func(icon, certainty, side string) markView {
		return markView{icon, strings.ToLower(certainty), strings.ToLower(side)}
	}}

// ticksView is the clock below a panel.
type ticksView struct {
	Clock, Bottom, End float64
	Ticks              []tick
}

// markView is the icon of an event: in the colour of its side, filled if it is certain.
type markView struct{ Kind, Class, Side string }

// Write writes the page.
func (m *Match) Write(w io.Writer) error {
	return page.Write(w, layoutOf(), page.Content{Title: m.Title(), Body: m.view(), MadeBy: m.MadeBy, MadeAt: m.Now, Command: m.Command})
}

// HTML returns the body of the page, without its style sheet.
func (m *Match) HTML() (template.HTML, error) {
	var b strings.Builder
	if err := layoutOf().ExecuteTemplate(&b, "body", m.view()); err != nil {
		return "", fmt.Errorf("match page: %w", err)
	}
	return template.HTML(b.String()), nil
}

// Title returns the teams and the score.
func (m *Match) Title() string {
	return words(m.Row.Home) + " " + countOf(m.Row.ScoreHome) + " : " + countOf(m.Row.ScoreAway) + " " + words(m.Row.Away)
}

type view struct {
	*Match
	Home, Away  string
	Clock       string
	State       string // of play, for people
	Pressing    string
	Stale       bool
	HasMomentum bool          // a momentum of the present
	Age         time.Duration // of the data
	HomeWidth   float64       // of momentum, of 100
	Momentum    momentumFigure
	Bars        []barsFigure
	Facing      []counterView
	Entries     []entryView // newest first
	Events      []entryView
	Unknown     []string
}

func (m *Match) view() *view {
	x := m.axis()
	v := &view{Match: m, Home: words(m.Row.Home), Away: words(m.Row.Away), Clock: m.clock(), Stale: m.isStale(), Age: max(0, m.Now.Sub(m.Row.FreshAt)).Round(time.Second)}
	v.State, v.Pressing = m.state(), Pressing(&m.Row)
	if v.Stale {
		v.Pressing = reasonOf(string(football.FeedStale))
	} else if n := m.Row.MomentumHome; n != nil {
		v.HasMomentum, v.HomeWidth = true, float64(*n)
	}
	v.Momentum = m.momentum(x)
	v.Bars = append(v.Bars, m.pressure(x))
	for _, c := range charted {
		if f, ok := m.counterBars(x, c); ok {
			v.Bars = append(v.Bars, f)
		}
	}
	v.Facing = m.counters()
	v.Entries = m.entries()
	v.Events = events(v.Entries)
	v.Unknown = m.unknown(v)
	return v
}

func (m *Match) isStale() bool { return IsStale(&m.Row, m.Now) }

// IsStale reports whether a row is too old to say anything of the present.
func IsStale(r *table.LiveRow, now time.Time) bool {
	return r.InPlay && r.StaleAt != nil && now.After(*r.StaleAt)
}

// RowFresh and RowFetched return the row's times as pointers, like the manifest's.
func (v *view) RowFresh() *time.Time   { return &v.Row.FreshAt }
func (v *view) RowFetched() *time.Time { return &v.Row.ProviderFetchedAt }
