// Package matchpage draws one fixture in play as a page: clock, score, momentum over the match
// clock, pressure and counters by minute, timeline, and what is unknown. Unknown values are
// drawn as unknown: a stretch without momentum is a gap with its reason, never a line at 50.
//
// It is given the published rows and, if the archive still has them, the states of the fixture
// cycle by cycle. It opens no file and reads no clock.
package matchpage

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"mkt/cmd/mkt/internal/page"
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
	// Damaged is the number of cycles that could not be read.
	Past    []football.Live
	Damaged int

	Now     time.Time
	MadeBy  string
	Command string
}

//go:embed match.html
var body string

var layoutOf = page.Template(body, template.FuncMap{"clock": clockOf, "span": spanOf, "count": countOf, "times": timesOf, "lower": lower})

// Write writes the page.
func (m *Match) Write(w io.Writer) error {
	return page.Write(w, layoutOf, page.Content{Title: m.title(), Body: m.view(), MadeBy: m.MadeBy, MadeAt: m.Now, Command: m.Command})
}

func (m *Match) title() string {
	return words(m.Row.Home) + " " + countOf(m.Row.ScoreHome) + " : " + countOf(m.Row.ScoreAway) + " " + words(m.Row.Away)
}

type view struct {
	*Match
	Home, Away string
	Clock      string
	State      string // of play, for people
	Stale      bool
	Age        time.Duration // of the data
	Momentum   momentumFigure
	Bars       []barsFigure
	Timeline   []entryView // newest first
	Unknown    []string
}

func (m *Match) view() *view {
	x := m.axis()
	v := &view{Match: m, Home: words(m.Row.Home), Away: words(m.Row.Away), Clock: m.clock(), Stale: m.isStale(), Age: max(0, m.Now.Sub(m.Row.FreshAt)).Round(time.Second)}
	v.State = m.state()
	v.Momentum = m.momentum(x)
	v.Bars = append(v.Bars, m.pressure(x))
	for _, c := range charted {
		if f, ok := m.counterBars(x, c); ok {
			v.Bars = append(v.Bars, f)
		}
	}
	v.Timeline = m.entries()
	v.Unknown = m.unknown(v)
	return v
}

func (m *Match) isStale() bool {
	return m.Row.InPlay && m.Row.StaleAt != nil && m.Now.After(*m.Row.StaleAt)
}

// RowFresh and RowFetched return the row's times as pointers, like the manifest's.
func (v *view) RowFresh() *time.Time   { return &v.Row.FreshAt }
func (v *view) RowFetched() *time.Time { return &v.Row.ProviderFetchedAt }
