package matchpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"mkt/internal/console/frame"
	"mkt/internal/evidence/page"
	"mkt/publish/football"
	"mkt/publish/table/canonical"
)

//go:embed match.html
var body string

var layoutOf = page.Template(body, functions)

var functions = template.FuncMap{"clock": clockOf, "ago": frame.Span, "count": words[int32], "times": timesOf, "time": func(t time.Time) string { return timesOf(&t) }, "lower": lower, "half": func(n int32) string { return halfName(int(n)) }, "certain": certain,
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
	Withdrawn   []withdrawnView
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
	v.Withdrawn = m.withdrawn()
	v.Unknown = m.unknown(v)
	return v
}

// unknown lists the unknown values in sentences. The page also reports an empty list.
func (m *Match) unknown(v *view) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if v.Stale {
		say("The present: the feed reported nothing new for %s, and the last state was valid until %s.", frame.Span(v.Age), timesOf(m.Row.StaleAt))
	}
	if m.Row.MomentumHome == nil {
		say("Momentum now: %s.", Pressing(&m.Row))
	}
	if m.Row.DetailRank == nil {
		say("Minutes, periods and timeline: they are kept for the matches of the detail set only, and this is none of them.")
	}
	switch gaps := v.Momentum.gaps(); {
	case m.Tracing != "":
		say("Earlier momentum: %s", strings.ToLower(m.Tracing[:1])+m.Tracing[1:])
	case len(m.Past) == 0:
		say("Earlier momentum: no archived cycle of the match is kept in this data root.")
	case len(gaps) > 0:
		var stretches []string
		for _, g := range gaps {
			stretches = append(stretches, g.Clock()+" ("+g.Reason+")")
		}
		say("Momentum at %s.", strings.Join(stretches, ", "))
	}
	if m.Damaged > 0 {
		say("The content of %d archived cycles, which cannot be read.", m.Damaged)
	}
	if last := len(m.Past) - 1; last >= 0 && m.Tracing == "" && !m.agrees(&m.Past[last]) {
		say("Why the values computed from the archive differ from the published ones: the curve shows the computed values, the numbers at the top are the published ones.")
	}
	for _, e := range m.Timeline {
		if e.State == string(football.VisualStale) {
			say("What happened between %s and %s: the feed was silent.", timesOf(&e.At), timesOf(&e.Until))
		}
	}
	if len(m.Row.Absent) > 0 {
		say("%s: the provider did not send it.", lower(strings.Join(m.Row.Absent, ", ")))
	}
	for _, c := range m.Counters {
		if c.State == string(football.BucketNull) {
			say("%s: sent without a value.", metricName(c.Metric))
		}
	}
	return list
}

// agrees reports whether the values computed from the archive are the published ones.
func (m *Match) agrees(l *football.Live) bool {
	r := canonical.Live(l, l.Fixture.FetchedAt, 0)
	return r.At.Equal(m.Row.At) && words(r.MomentumHome) == words(m.Row.MomentumHome) && words(r.UnavailableReason) == words(m.Row.UnavailableReason) &&
		words(r.ClockMinute) == words(m.Row.ClockMinute) && words(r.ScoreHome) == words(m.Row.ScoreHome) && words(r.ScoreAway) == words(m.Row.ScoreAway)
}
