package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
)

// longStatus are the texts of the states.
var longStatus = map[string]string{
	api.StatusNotStarted: "Not Started", api.StatusFirstHalf: "First Half", api.StatusHalfTime: "Halftime", api.StatusSecondHalf: "Second Half",
	api.StatusExtraTime: "Extra Time", api.StatusBreak: "Break Time", api.StatusShootout: "Penalty In Progress", api.StatusFullTime: "Match Finished",
	api.StatusAfterExtra: "Match Finished", api.StatusAfterPens: "Match Finished", api.StatusPostponed: "Match Postponed",
	api.StatusCancelled: "Match Cancelled", api.StatusWalkover: "WalkOver",
}

// shortStatus are the states by the phase of a match.
var shortStatus = map[simulator.Phase]string{
	simulator.FirstHalf: api.StatusFirstHalf, simulator.HalfTime: api.StatusHalfTime, simulator.SecondHalf: api.StatusSecondHalf,
	simulator.BeforeExtra: api.StatusBreak, simulator.ExtraFirst: api.StatusExtraTime, simulator.ExtraBreak: api.StatusBreak,
	simulator.ExtraSecond: api.StatusExtraTime, simulator.BeforeShootout: api.StatusShootout, simulator.Shootout: api.StatusShootout,
}

// play adds the state of a match already begun.
func (i *item) play(m simulator.Match, sent simulator.Sent) {
	if !sent.Begun {
		return
	}
	clock, over := sent.Clock, sent.Status == simulator.Ended || m.Fixture.Status == simulator.Ended
	if clock.Phase == simulator.FullTime { // the last period lasts until the end is confirmed
		periods := m.Periods()
		last := periods[len(periods)-1]
		clock.Phase = last.Phase
		if last.Phase.Playing() {
			clock.Shown = last.Base + last.To - last.From
		}
	}
	i.Fixture.Status.Short = shortStatus[clock.Phase]
	if over {
		i.Fixture.Status.Short = [...]string{api.StatusFullTime, api.StatusAfterExtra, api.StatusAfterPens}[ending(clock.Phase)]
	}
	elapsed, extra := minuteOf(clock, 0)
	i.Fixture.Status.Elapsed, i.Fixture.Status.Extra = &elapsed, extra
	kickOff := m.Fixture.KickOff.Unix() // the announced times, and not the true ones
	second := kickOff + 3600
	i.Fixture.Periods.First = &kickOff
	if clock.Phase >= simulator.SecondHalf {
		i.Fixture.Periods.Second = &second
	}
	i.score(sent, clock.Phase)
}

// ending returns how a match ended, by its last phase: 0 in normal time, 1 in extra time, 2
// in a shoot-out.
func ending(last simulator.Phase) int {
	switch {
	case last >= simulator.BeforeShootout:
		return 2
	case last >= simulator.ExtraFirst:
		return 1
	}
	return 0
}

// score fills in the goals, also by period. Those of the first half are sent from its
// beginning on.
func (i *item) score(sent simulator.Sent, phase simulator.Phase) {
	i.Goals, i.Score.Half = pairOf(sent.Score), pairOf(sent.Score)
	if sent.First != nil {
		i.Score.Half = pairOf(sent.First.Score())
	}
	if sent.Normal != nil {
		normal := sent.Normal.Score()
		i.Score.Full = pairOf(normal)
		if phase >= simulator.ExtraFirst && sent.Extra {
			i.Score.Extra = pairOf([2]int{max(0, sent.Score[0]-normal[0]), max(0, sent.Score[1]-normal[1])})
		}
	}
	home, away := sent.Score[0], sent.Score[1]
	if sent.Shootout != nil {
		i.Score.Penalty = pairOf(*sent.Shootout)
		if sent.Status == simulator.Ended {
			home, away = sent.Shootout[0], sent.Shootout[1]
		}
	}
	if home != away {
		yes, no := home > away, home < away
		i.Teams.Home.Winner, i.Teams.Away.Winner = &yes, &no
	}
}

// minuteOf returns the minute on the scoreboard, which stops at the end of a half, and the
// minutes added to it. ahead is 1 for the current minute.
func minuteOf(c simulator.Clock, ahead int) (elapsed int, extra *int) {
	minute := int(c.Shown/time.Minute) + ahead
	end := 120
	switch c.Phase {
	case simulator.FirstHalf, simulator.HalfTime:
		end = 45
	case simulator.SecondHalf, simulator.BeforeExtra:
		end = 90
	case simulator.BeforeShootout, simulator.Shootout:
		return minute, nil // a shoot-out may follow normal time
	case simulator.ExtraFirst, simulator.ExtraBreak:
		end = 105
	}
	if minute > end {
		added := minute - end
		return end, &added
	}
	return minute, nil
}

// event is a line of the timeline. It has no id.
type event struct {
	Time struct {
		Elapsed int  `json:"elapsed"`
		Extra   *int `json:"extra"`
	} `json:"time"`
	Team    named   `json:"team"`
	Player  person  `json:"player"`
	Assist  person  `json:"assist"`
	Type    string  `json:"type"`
	Detail  string  `json:"detail"`
	Comment *string `json:"comments"`
}

type person struct {
	ID   *int    `json:"id"`
	Name *string `json:"name"`
}

// events returns the visible lines. A withdrawn goal is replaced.
func events(m simulator.Match, sent simulator.Sent) []any {
	at := sent.At.Sub(m.Whistle)
	all := []any{}
	var changes [2]int
	for _, r := range m.Reported() {
		if r.Appears > at {
			break
		}
		t := [...]simulator.Team{m.Fixture.Home, m.Fixture.Away}[r.Side]
		e := event{Player: personOf(t, r.Player), Assist: personOf(t, r.Second), Team: teamOf(t).named}
		switch r.Kind {
		case simulator.Goal:
			e.Type, e.Detail = "Goal", "Normal Goal"
			if r.Method == "Penalty" {
				e.Detail = "Penalty"
			}
			if r.Withdrawn != 0 && at >= r.Withdrawn {
				e.Type, e.Detail = "Var", "Goal cancelled"
			}
		case simulator.PenaltyMissed:
			e.Type, e.Detail = "Goal", "Missed Penalty"
		case simulator.YellowCard:
			e.Type, e.Detail = "Card", "Yellow Card"
		case simulator.RedCard:
			e.Type, e.Detail = "Card", "Red Card"
		case simulator.Substitution: // the player goes off, and the assist comes on
			changes[r.Side]++
			e.Type, e.Detail = "subst", "Substitution "+strconv.Itoa(changes[r.Side])
			e.Player, e.Assist = e.Assist, e.Player
		default: // the provider does not sell it
			continue
		}
		e.Time.Elapsed, e.Time.Extra = minuteOf(r.Clock, 1)
		all = append(all, e)
	}
	return append(all, kicks(m, at)...)
}

// kicks are the lines of a shoot-out: extra is the number of the kick, and the last kick
// comes first.
func kicks(m simulator.Match, at time.Duration) (all []any) {
	comment := "Penalty Shootout"
	for n, k := range m.Kicks() {
		if k.At > at {
			break
		}
		t := [...]simulator.Team{m.Fixture.Home, m.Fixture.Away}[k.Side]
		number := n + 1
		e := event{Player: personOf(t, k.Player), Team: teamOf(t).named, Type: "Goal", Detail: "Missed Penalty", Comment: &comment}
		if k.Scored {
			e.Detail = "Penalty"
		}
		e.Time.Elapsed, e.Time.Extra = 120, &number
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}

// personOf returns a player. Those who are not in the squad have no id.
func personOf(t simulator.Team, name string) (p person) {
	if name == "" {
		return p
	}
	p.Name = &name
	if n := slices.Index(t.Players, name); n >= 0 {
		id := 100*(3000+t.Number) + n
		p.ID = &id
	}
	return p
}

// stat is a type of statistics, and how its value is written.
type stat struct {
	name    string
	metrics []simulator.Metric // their sum is the value
	write   func(c *simulator.Counts, side simulator.Side, n int) any
}

var stats = []stat{
	{"Shots on Goal", []simulator.Metric{simulator.OnTarget}, nil},
	{"Shots off Goal", []simulator.Metric{simulator.OffTarget}, nil},
	{"Total Shots", []simulator.Metric{simulator.OnTarget, simulator.OffTarget, simulator.Blocked}, nil},
	{"Blocked Shots", []simulator.Metric{simulator.Blocked}, nil},
	{"Fouls", []simulator.Metric{simulator.Fouls}, nil},
	{"Corner Kicks", []simulator.Metric{simulator.Corners}, nil},
	{"Offsides", []simulator.Metric{simulator.Offsides}, nil},
	{"Ball Possession", []simulator.Metric{simulator.Possession}, func(c *simulator.Counts, side simulator.Side, _ int) any {
		return strconv.Itoa(c.PossessionOf(side)) + "%"
	}},
	{"Yellow Cards", []simulator.Metric{simulator.YellowCards}, nil},
	{"Red Cards", []simulator.Metric{simulator.RedCards}, nil},
	{"Goalkeeper Saves", []simulator.Metric{simulator.Saves}, nil},
	{"expected_goals", []simulator.Metric{simulator.ExpectedGoals}, func(_ *simulator.Counts, _ simulator.Side, n int) any {
		return fmt.Sprintf("%d.%02d", n/100, n%100)
	}},
}

// oddNull decides whether a counter of 0 is sent as null.
const oddNull = 302

// statistics returns those of both teams; none for a match without coverage. There are no
// attacks.
func statistics(m simulator.Match, sent simulator.Sent) []any {
	all := []any{}
	if !sent.Begun || !m.Covers(simulator.OnTarget) {
		return all
	}
	type value struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
	for side, t := range [...]simulator.Team{m.Fixture.Home, m.Fixture.Away} {
		values := []value{}
		for _, s := range stats {
			sum, state := 0, simulator.Value
			for _, metric := range s.metrics {
				n, is := sent.Value(metric, simulator.Side(side))
				sum, state = sum+n, min(state, is)
			}
			v := value{Type: s.name, Value: sum}
			switch {
			case state == simulator.Absent:
				continue
			case state == simulator.Null:
				v.Value = nil
			case s.write != nil:
				v.Value = s.write(sent.Counts(), simulator.Side(side), sum)
			case sum == 0 && (s.name == "Red Cards" || s.name == "Offsides") && m.Fixture.Lot(2, oddNull) == 0:
				v.Value = nil
			}
			values = append(values, v)
		}
		all = append(all, map[string]any{"team": teamOf(t).named, "statistics": values})
	}
	return all
}
