package matchpage

import (
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

type entryView struct {
	table.LiveTimelineRow
	Team   string
	Held   time.Duration
	Minute string
	Name   string
	Score  string
	Icon   string // goal, yellow-card, red-card, card, penalty, corner, whistle, silent, change
}

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

type withdrawnView struct {
	table.WithdrawnRow
	Minute, Name, Team, Why string
}

// withdrawn returns the events that were taken back, without the states of play between them.
func (m *Match) withdrawn() (some []withdrawnView) {
	for _, w := range m.Row.Withdrawn {
		if icons[w.State] == "" {
			continue
		}
		v := withdrawnView{WithdrawnRow: w, Minute: m.minuteOf(entryOf(&w)), Name: upperFirst(stateName(w.State)), Why: withdrawals[football.WithdrawalReason(w.Reason)]}
		if w.SideProven != string(football.SideNone) {
			v.Team = m.side(w.SideProven)
		}
		some = append(some, v)
	}
	return some
}

// entryOf returns where a withdrawn entry was on the scoreboard.
func entryOf(w *table.WithdrawnRow) *table.LiveTimelineRow {
	e := &table.LiveTimelineRow{Minute: w.Minute, Second: w.Second, Added: w.Added, At: w.At}
	if w.Minute == nil {
		return e
	}
	ofPlay := int(*w.Minute) + 1
	if w.Added != nil {
		ofPlay--
	}
	half := int32(halfOfMinute(ofPlay))
	e.Half = &half
	return e
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
