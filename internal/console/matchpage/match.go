// Package matchpage draws one fixture in play as a page: clock, score, momentum over the match
// clock, pressure and counters by minute, timeline, and a list of unknown values. Unknown values
// are drawn as unknown: a stretch without momentum is a gap with its reason, never a line at 50.
//
// Its input is the published rows and, if the archive still has them, the states of the fixture
// cycle by cycle. It opens no file and reads no clock.
package matchpage

import (
	"fmt"
	"strings"
	"time"

	"mkt/internal/evidence/find"
	"mkt/internal/terminal"
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

// Title returns the teams, after the score and the minute if there are any: "2–1 67' Arsenal – Chelsea".
func (m *Match) Title() string {
	score, minute := words(m.Row.ScoreHome)+"–"+words(m.Row.ScoreAway), Minute(&m.Row)
	if m.isStale() {
		minute = "stale"
	}
	if score == "?–?" && !m.Row.InPlay {
		score, minute = "", ""
	}
	return strings.Join(strings.Fields(score+" "+minute+" "+find.Name(m.Row.Home, m.Row.Away)), " ")
}

func (m *Match) isStale() bool { return IsStale(&m.Row, m.Now) }

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
		text = scoreboard(int(*r.ClockMinute*60+numberOf(r.ClockSecond))) + ", " + text
	}
	if added := int(numberOf(r.ClockAdded)); added > 0 {
		text += fmt.Sprintf(", %s of stoppage time announced", terminal.Plural(added, "minute"))
	}
	if r.ClockRunning != nil && !*r.ClockRunning && r.ClockPeriod != nil && football.Phase(*r.ClockPeriod).Half() > 0 {
		text += ", clock stopped"
	}
	return text
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

func (m *Match) side(side string) string {
	switch football.Side(side) {
	case football.SideHome:
		return words(m.Row.Home)
	case football.SideAway:
		return words(m.Row.Away)
	}
	return "side not proven"
}

// State describes the play, and whether the data is current.
func State(r *table.LiveRow, now time.Time) string {
	m := Match{Row: *r, Now: now}
	return m.state()
}
