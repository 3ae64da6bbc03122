package matchpage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
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

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func minutes(n int) string {
	if n == 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

func scoreboard(seconds int) string { return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60) }

func clockOf(e table.LiveTimelineRow) string {
	switch {
	case e.Minute == nil:
		return "--:--"
	case e.Added != nil:
		return fmt.Sprintf("%02d+%d", *e.Minute, *e.Added)
	case e.Second == nil:
		return fmt.Sprintf("%02d:--", *e.Minute)
	}
	return scoreboard(int(*e.Minute)*60 + int(*e.Second))
}

// minuteOf returns the minute of play of an entry as a scoreboard names it: 13', 45+2', or 45+' if
// the minute of stoppage time is unknown. It is "" if the entry has no minute.
func (m *Match) minuteOf(e *table.LiveTimelineRow) string {
	p, exact := m.placeOfEntry(e)
	if p.half == 0 {
		return ""
	}
	if !exact {
		return fmt.Sprintf("%d+'", (begins[p.half]+lasts[p.half])/60)
	}
	one := minute{half: p.half, of: p.second / 60}
	return one.name() + "'"
}

// Minute returns the match clock in short, for a list: 65', 45+2', HT, or "" if it is unknown.
func Minute(r *table.LiveRow) string {
	m := Match{Row: *r}
	if p := m.placeNow(); p.half > 0 {
		one := minute{half: p.half, of: p.second / 60}
		return one.name() + "'"
	}
	if r.ClockPeriod == nil {
		return ""
	}
	return *r.ClockPeriod
}

func spanOf(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", max(0, d).Round(time.Second)/time.Second)
}

func timesOf(t *time.Time) string {
	if t == nil {
		return "not known"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

var halfNames = [...]string{"play", "first half", "second half", "extra time, first half", "extra time, second half"}

// halfName returns the name of a half, at the beginning of a sentence.
func halfName(n int) string {
	if n < 0 || n >= len(halfNames) {
		n = 0
	}
	return upperFirst(halfNames[n])
}

var phases = map[football.Phase]string{football.FirstHalf: halfNames[1], football.HalfTime: "half-time", football.SecondHalf: halfNames[2],
	football.Break: "break before or in extra time", football.ExtraFirstHalf: halfNames[3], football.ExtraSecondHalf: halfNames[4], football.Shootout: "penalty shoot-out", football.FullTime: "full time"}

func (m *Match) clock() string {
	r := &m.Row
	text := phases[football.Phase(words(r.ClockPeriod))]
	switch {
	case text == "" && r.ClockMinute == nil:
		return "no clock was sent"
	case text == "" && hasNotBegun(r):
		return "not begun"
	case text == "":
		text = "which half is not known"
	}
	if r.ClockMinute != nil {
		second := 0
		if r.ClockSecond != nil {
			second = int(*r.ClockSecond)
		}
		text = scoreboard(int(*r.ClockMinute)*60+second) + ", " + text
	}
	if r.ClockAdded != nil && *r.ClockAdded > 0 {
		text += fmt.Sprintf(", %s of stoppage time announced", minutes(int(*r.ClockAdded)))
	}
	if r.ClockRunning != nil && !*r.ClockRunning && r.ClockPeriod != nil && football.Phase(*r.ClockPeriod).Half() > 0 {
		text += ", clock stopped"
	}
	return text
}

// notSeen is the reason for a stretch of play without momentum if no cycle has one.
const notSeen = "nothing was seen"

var reasons = map[football.UnavailableReason]string{
	football.InsufficientSamples: "too little was seen yet", football.FeedStale: "the feed was silent",
	football.CountersNotProvided: "the provider sends no counters of attacks", football.NotInPlay: "play was interrupted", "": notSeen,
}

// reasonOf returns the reason for missing momentum in words.
func reasonOf(reason string) string {
	if text, ok := reasons[football.UnavailableReason(reason)]; ok {
		return text
	}
	return lower(reason)
}

// Pressing describes momentum in words.
func Pressing(r *table.LiveRow) string {
	if r.MomentumHome == nil && words(r.UnavailableReason) == string(football.NotInPlay) {
		return notInPlay(r)
	}
	if r.MomentumHome == nil {
		return reasonOf(words(r.UnavailableReason))
	}
	how := map[string]string{"SLIGHT": "slightly more", "CLEAR": "clearly more", "STRONG": "much more"}[words(r.MomentumStrength)]
	m := Match{Row: *r}
	switch football.Side(words(r.MomentumLeader)) {
	case football.SideHome, football.SideAway:
		return strings.TrimSpace(m.side(*r.MomentumLeader) + " presses " + how)
	}
	return "neither side presses more"
}

// notInPlay says why there is no play now.
func notInPlay(r *table.LiveRow) string {
	switch football.Phase(words(r.ClockPeriod)) {
	case football.HalfTime:
		return "it is half-time"
	case football.Break:
		return "there is a break"
	case football.Shootout:
		return "penalties are being taken"
	case football.FullTime:
		return "the match is over"
	case football.FirstHalf, football.SecondHalf, football.ExtraFirstHalf, football.ExtraSecondHalf:
		return "play is interrupted"
	}
	if hasNotBegun(r) {
		return "the match has not begun"
	}
	return "no play is reported"
}

// hasNotBegun reports whether the clock stands at kick-off.
func hasNotBegun(r *table.LiveRow) bool {
	return !r.InPlay && words(r.ClockPeriod) == "?" && r.ClockMinute != nil && *r.ClockMinute == 0
}

// State describes the play, and whether the data is current.
func State(r *table.LiveRow, now time.Time) string {
	m := Match{Row: *r, Now: now}
	return m.state()
}

var states = map[string]string{
	"KICK_OFF": "kick-off", "CALM": "calm play", "ATTACK": "attack", "PRESSURE": "pressure", "DANGER": "dangerous attack", "CORNER": "corner", "GOAL": "goal",
	"CARD": "card", "PENALTY": "penalty", "SUBSTITUTION": "substitution", "HALF_TIME": "half-time", "FULL_TIME": "full time", "STALE": "the feed was silent",
}

func stateName(state string) string {
	if name, ok := states[state]; ok {
		return name
	}
	return lower(state)
}

func (m *Match) state() string {
	switch {
	case !m.Row.InPlay:
		return "not in play"
	case m.isStale():
		return "stale"
	case m.Row.VisualState == nil:
		return "no state is known yet"
	case *m.Row.VisualState == string(football.VisualCalm) && words(m.Row.VisualCertainty) == "UNKNOWN":
		return "not known"
	}
	text := stateName(*m.Row.VisualState)
	if side := m.Row.VisualSide; side != nil && *side != string(football.SideNone) {
		text += ", " + m.side(*side)
	}
	return text
}

// certain describes how an entry is known; "" if the provider reported it as an event.
func certain(certainty string) string {
	switch certainty {
	case "EXACT":
		return ""
	case "INFERRED":
		return "inferred"
	}
	return "uncertain"
}

type entryView struct {
	table.LiveTimelineRow
	Team   string
	Held   time.Duration
	Minute string
	Name   string
	Score  string
	Icon   string // goal, yellow-card, red-card, card, penalty, corner, whistle, silent, change
}

var icons = map[string]string{"GOAL": "goal", "CARD": "card", "PENALTY": "penalty", "CORNER": "corner", "SUBSTITUTION": "change",
	"KICK_OFF": "whistle", "HALF_TIME": "whistle", "FULL_TIME": "whistle", "STALE": "silent"}

// entries returns the timeline, newest first.
func (m *Match) entries() (all []entryView) {
	scores := m.scores()
	for i, e := range slices.Backward(m.Timeline) {
		v := entryView{LiveTimelineRow: e, Held: e.Until.Sub(e.At), Minute: m.minuteOf(&e), Name: upperFirst(stateName(e.State)), Score: scores[i], Icon: icons[e.State]}
		if v.Icon == "card" {
			v.Icon = m.card(&e)
			v.Name = upperFirst(strings.ReplaceAll(v.Icon, "-", " "))
		}
		if e.SideProven != string(football.SideNone) {
			v.Team = m.side(e.SideProven)
		}
		all = append(all, v)
	}
	return all
}

// events returns the entries for a reader of a match report, without the states of play between
// them.
func events(all []entryView) (some []entryView) {
	for _, e := range all {
		if e.Icon != "" {
			some = append(some, e)
		}
	}
	return some
}

var metrics = map[string]string{
	"on_target": "shots on target", "off_target": "shots off target", "shots_blocked": "blocked shots", "corners_1h": "corners, first half", "corners_ft": "corners, full time",
	"corners_et": "corners, extra time", "second_yellow_cards": "second yellow cards", "possession": "possession, %", "ball_safe": "safe possessions", "xg": "expected goals",
	"throw_ins": "throw-ins",
}

func metricName(metric string) string {
	if name, ok := metrics[metric]; ok {
		return upperFirst(name)
	}
	return upperFirst(lower(metric))
}

// counterView is a counter as two bars, face to face. The longer one fills its side.
type counterView struct {
	Name       string
	Home, Away string // as the provider wrote them, "?" if unknown
	HomeWidth  float64
	AwayWidth  float64
	HomeKnown  bool
	AwayKnown  bool
	Note       string
}

// counterOrder is the order in which people look for counters; the others follow.
var counterOrder = []football.Metric{football.Possession, football.ExpectedGoals, football.Shots, football.OnTarget, football.OffTarget, football.DangerousAttacks, football.Attacks,
	football.Corners, football.YellowCards, football.RedCards, football.Penalties}

func (m *Match) counters() (all []counterView) {
	rows := slices.Clone(m.Counters)
	rank := func(metric string) int {
		if at := slices.Index(counterOrder, football.Metric(metric)); at >= 0 {
			return at
		}
		return len(counterOrder)
	}
	slices.SortStableFunc(rows, func(a, b table.LiveCounterRow) int { return rank(a.Metric) - rank(b.Metric) })
	for _, r := range rows {
		v := counterView{Name: metricName(r.Metric), Home: words(r.HomeText), Away: words(r.AwayText), HomeKnown: r.HomeText != nil, AwayKnown: r.AwayText != nil}
		home, away := 0.0, 0.0
		if r.Home != nil {
			home = *r.Home
		}
		if r.Away != nil {
			away = *r.Away
		}
		if most := max(home, away); most > 0 {
			v.HomeWidth, v.AwayWidth = 100*max(0, home)/most, 100*max(0, away)/most
		}
		switch {
		case r.State == string(football.BucketNull):
			v.Note = "sent without a value"
		case !v.HomeKnown || !v.AwayKnown:
			v.Note = "one side is not sent"
		}
		all = append(all, v)
	}
	return all
}

// unknown lists the unknown values in sentences. The page also reports an empty list.
func (m *Match) unknown(v *view) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if v.Stale {
		say("The present: the feed reported nothing new for %s, and the last state was valid until %s.", spanOf(v.Age), timesOf(m.Row.StaleAt))
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
	if names := m.absent(); len(names) > 0 {
		say("%s: the provider did not send it.", strings.Join(names, ", "))
	}
	for _, c := range m.Counters {
		if c.State == string(football.BucketNull) {
			say("%s: sent without a value.", metricName(c.Metric))
		}
	}
	return list
}

// absent returns the names of the values not sent.
func (m *Match) absent() (names []string) {
	for _, name := range m.Row.Absent {
		names = append(names, lower(name))
	}
	return names
}

// agrees reports whether the values computed from the archive are the published ones.
func (m *Match) agrees(l *football.Live) bool {
	r := canonical.Live(l, l.Fixture.FetchedAt, 0)
	return r.At.Equal(m.Row.At) && countOf(r.MomentumHome) == countOf(m.Row.MomentumHome) && words(r.UnavailableReason) == words(m.Row.UnavailableReason) &&
		countOf(r.ClockMinute) == countOf(m.Row.ClockMinute) && countOf(r.ScoreHome) == countOf(m.Row.ScoreHome) && countOf(r.ScoreAway) == countOf(m.Row.ScoreAway)
}
