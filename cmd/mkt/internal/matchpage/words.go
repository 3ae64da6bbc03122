package matchpage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

func words(s *string) string {
	if s == nil {
		return "?"
	}
	return *s
}

func countOf(n *int32) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

func lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }

func scoreboard(seconds int) string { return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60) }

func clockOf(e table.LiveTimelineRow) string {
	switch {
	case e.Minute == nil:
		return "--:--"
	case e.Second == nil:
		return fmt.Sprintf("%02d:--", *e.Minute)
	}
	return scoreboard(int(*e.Minute)*60 + int(*e.Second))
}

func spanOf(d time.Duration) string {
	if day := 24 * time.Hour; d >= 2*day {
		return fmt.Sprintf("%d days", d/day)
	}
	return max(0, d).Round(time.Second).String()
}

func timesOf(t *time.Time) string {
	if t == nil {
		return "not known"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

var phases = map[football.Phase]string{football.NoPhase: "before kick-off, or not known", football.FirstHalf: "first half", football.HalfTime: "half-time", football.SecondHalf: "second half",
	football.Break: "break before or in extra time", football.ExtraFirstHalf: "extra time, first half", football.ExtraSecondHalf: "extra time, second half", football.Shootout: "penalty shoot-out", football.FullTime: "full time"}

func (m *Match) clock() string {
	r := &m.Row
	text := phases[football.NoPhase]
	if r.ClockPeriod != nil {
		text = phases[football.Phase(*r.ClockPeriod)]
	}
	if r.ClockMinute != nil {
		second := 0
		if r.ClockSecond != nil {
			second = int(*r.ClockSecond)
		}
		text = scoreboard(int(*r.ClockMinute)*60+second) + ", " + text
	}
	if r.ClockAdded != nil && *r.ClockAdded > 0 {
		text += fmt.Sprintf(", %d announced", *r.ClockAdded)
	}
	if r.ClockRunning != nil && !*r.ClockRunning {
		text += ", clock stopped"
	}
	return text
}

// state describes the play, and says whether the data is current.
func (m *Match) state() string {
	switch {
	case !m.Row.InPlay:
		return "left play"
	case m.isStale():
		return "stale"
	case m.Row.VisualState == nil:
		return "no state is known yet"
	}
	text := lower(*m.Row.VisualState)
	if side := m.Row.VisualSide; side != nil && *side != string(football.SideNone) {
		text += " of " + m.side(*side)
	}
	return text
}

type entryView struct {
	table.LiveTimelineRow
	Team string
	Held time.Duration
}

func (m *Match) entries() (all []entryView) {
	for _, e := range slices.Backward(m.Timeline) {
		v := entryView{LiveTimelineRow: e, Held: e.Until.Sub(e.At)}
		if e.SideProven != string(football.SideNone) {
			v.Team = m.side(e.SideProven)
		}
		all = append(all, v)
	}
	return all
}

// unknown lists in sentences what is unknown. If it is empty, the page says that.
func (m *Match) unknown(v *view) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if v.Stale {
		say("The present: the feed reported nothing new for %s, and the last state was valid until %s.", spanOf(v.Age), timesOf(m.Row.StaleAt))
	}
	if m.Row.MomentumHome == nil {
		say("Momentum: %s.", words(m.Row.UnavailableReason))
	}
	if m.Row.DetailRank == nil {
		say("Minutes, periods and timeline: the fixture is outside the detail set of this snapshot.")
	}
	switch {
	case len(m.Past) == 0:
		say("Earlier momentum: no archived cycle of the match is kept in this data root.")
	case len(v.Momentum.Gaps) > 0:
		var stretches []string
		for _, g := range v.Momentum.Gaps {
			stretches = append(stretches, g.Clock()+" ("+g.Reason+")")
		}
		say("Momentum at %s.", strings.Join(stretches, ", "))
	}
	if m.Damaged > 0 {
		say("The content of %d archived cycles, which cannot be read.", m.Damaged)
	}
	if last := len(m.Past) - 1; last >= 0 && !m.agrees(&m.Past[last]) {
		say("Why the values computed from the archive differ from the published ones: the curve shows the computed values, the numbers at the top are the published ones.")
	}
	for _, e := range m.Timeline {
		if e.State == string(football.VisualStale) {
			say("What happened between %s and %s: the feed was too old.", timesOf(&e.At), timesOf(&e.Until))
		}
	}
	if names := m.absent(); len(names) > 0 {
		say("%s: the provider did not send it.", strings.Join(names, ", "))
	}
	for _, c := range m.Counters {
		if c.State == string(football.BucketNull) {
			say("%s: sent without a value.", lower(c.Metric))
		}
	}
	return list
}

// absent names the counters that were not sent.
func (m *Match) absent() (names []string) {
	for _, name := range m.Row.Absent {
		names = append(names, lower(name))
	}
	return names
}

// agrees reports whether the values computed from the archive are the published ones.
func (m *Match) agrees(l *football.Live) bool {
	r := table.LiveOf(l, l.Fixture.FetchedAt, 0)
	return r.At.Equal(m.Row.At) && countOf(r.MomentumHome) == countOf(m.Row.MomentumHome) && words(r.UnavailableReason) == words(m.Row.UnavailableReason) &&
		countOf(r.ClockMinute) == countOf(m.Row.ClockMinute) && countOf(r.ScoreHome) == countOf(m.Row.ScoreHome) && countOf(r.ScoreAway) == countOf(m.Row.ScoreAway)
}
