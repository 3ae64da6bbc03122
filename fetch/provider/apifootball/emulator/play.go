package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// longStatus are the texts of the states.
var longStatus = map[string]string{
	api.StatusNotStarted: "Not Started", api.StatusFirstHalf: "First Half", api.StatusHalfTime: "Halftime", api.StatusSecondHalf: "Second Half",
	api.StatusExtraTime: "Extra Time", api.StatusBreak: "Break Time", api.StatusShootout: "Penalty In Progress", api.StatusFullTime: "Match Finished",
	api.StatusAfterExtra: "Match Finished", api.StatusAfterPens: "Match Finished", api.StatusPostponed: "Match Postponed",
	api.StatusCancelled: "Match Cancelled", api.StatusWalkover: "WalkOver",
}

// shortStatus are the states by the phase of a match.
var shortStatus = map[play.Phase]string{
	play.FirstHalf: api.StatusFirstHalf, play.HalfTime: api.StatusHalfTime, play.SecondHalf: api.StatusSecondHalf,
	play.BeforeExtra: api.StatusBreak, play.ExtraFirst: api.StatusExtraTime, play.ExtraBreak: api.StatusBreak,
	play.ExtraSecond: api.StatusExtraTime, play.BeforeShootout: api.StatusShootout, play.Shootout: api.StatusShootout,
}

// play adds the state of a match already begun.
func (i *item) play(m feed.Match, sent feed.Sent) {
	if !sent.Begun {
		return
	}
	clock, over := sent.Clock, sent.Status == competition.Ended || m.Fixture.Status == competition.Ended
	if clock.Phase == play.FullTime { // the last period lasts until the end is confirmed
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
	if clock.Phase >= play.SecondHalf {
		i.Fixture.Periods.Second = &second
	}
	i.score(sent, clock.Phase)
}

// ending returns how a match ended, by its last phase: 0 in normal time, 1 in extra time, 2
// in a shoot-out.
func ending(last play.Phase) int {
	switch {
	case last >= play.BeforeShootout:
		return 2
	case last >= play.ExtraFirst:
		return 1
	}
	return 0
}

// score fills in the goals, also by period. Those of the first half are sent from its
// beginning on.
func (i *item) score(sent feed.Sent, phase play.Phase) {
	i.Goals, i.Score.Half = pairOf(sent.Score), pairOf(sent.Score)
	if sent.First != nil {
		i.Score.Half = pairOf(sent.First.Score())
	}
	if sent.Normal != nil {
		normal := sent.Normal.Score()
		i.Score.Full = pairOf(normal)
		if phase >= play.ExtraFirst && sent.Extra {
			i.Score.Extra = pairOf([2]int{max(0, sent.Score[0]-normal[0]), max(0, sent.Score[1]-normal[1])})
		}
	}
	home, away := sent.Score[0], sent.Score[1]
	if sent.Shootout != nil {
		i.Score.Penalty = pairOf(*sent.Shootout)
		if sent.Status == competition.Ended {
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
func minuteOf(c play.Clock, ahead int) (elapsed int, extra *int) {
	minute := int(c.Shown/time.Minute) + ahead
	end := 120
	switch c.Phase {
	case play.FirstHalf, play.HalfTime:
		end = 45
	case play.SecondHalf, play.BeforeExtra:
		end = 90
	case play.BeforeShootout, play.Shootout:
		return minute, nil // a shoot-out may follow normal time
	case play.ExtraFirst, play.ExtraBreak:
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
func events(m feed.Match, sent feed.Sent) []any {
	at := sent.At.Sub(m.Whistle)
	all := []any{}
	var changes [2]int
	for _, r := range m.Reported() {
		if r.Appears > at {
			break
		}
		t := [...]competition.Team{m.Fixture.Home, m.Fixture.Away}[r.Side]
		e := event{Player: personOf(t, r.Player), Assist: personOf(t, r.Second), Team: teamOf(t).named}
		switch r.Kind {
		case play.Goal:
			e.Type, e.Detail = "Goal", "Normal Goal"
			if r.Method == "Penalty" {
				e.Detail = "Penalty"
			}
			if r.Withdrawn != 0 && at >= r.Withdrawn {
				e.Type, e.Detail = "Var", "Goal cancelled"
			}
		case play.PenaltyMissed:
			e.Type, e.Detail = "Goal", "Missed Penalty"
		case play.YellowCard:
			e.Type, e.Detail = "Card", "Yellow Card"
		case play.RedCard:
			e.Type, e.Detail = "Card", "Red Card"
		case play.Substitution: // the player goes off, and the assist comes on
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
func kicks(m feed.Match, at time.Duration) (all []any) {
	comment := "Penalty Shootout"
	for n, k := range m.Kicks() {
		if k.At > at {
			break
		}
		t := [...]competition.Team{m.Fixture.Home, m.Fixture.Away}[k.Side]
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
func personOf(t competition.Team, name string) (p person) {
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
	metrics []play.Metric // their sum is the value
	write   func(c *play.Counts, side play.Side, n int) any
}

var stats = []stat{
	{"Shots on Goal", []play.Metric{play.OnTarget}, nil},
	{"Shots off Goal", []play.Metric{play.OffTarget}, nil},
	{"Total Shots", []play.Metric{play.OnTarget, play.OffTarget, play.Blocked}, nil},
	{"Blocked Shots", []play.Metric{play.Blocked}, nil},
	{"Fouls", []play.Metric{play.Fouls}, nil},
	{"Corner Kicks", []play.Metric{play.Corners}, nil},
	{"Offsides", []play.Metric{play.Offsides}, nil},
	{"Ball Possession", []play.Metric{play.Possession}, func(c *play.Counts, side play.Side, _ int) any {
		return strconv.Itoa(c.PossessionOf(side)) + "%"
	}},
	{"Yellow Cards", []play.Metric{play.YellowCards}, nil},
	{"Red Cards", []play.Metric{play.RedCards}, nil},
	{"Goalkeeper Saves", []play.Metric{play.Saves}, nil},
	{"expected_goals", []play.Metric{play.ExpectedGoals}, func(_ *play.Counts, _ play.Side, n int) any {
		return fmt.Sprintf("%d.%02d", n/100, n%100)
	}},
}

// oddNull decides whether a counter of 0 is sent as null.
const oddNull = 302

// statistics returns those of both teams; none for a match without coverage. There are no
// attacks.
func statistics(m feed.Match, sent feed.Sent) []any {
	all := []any{}
	if !sent.Begun || !m.Covers(play.OnTarget) {
		return all
	}
	type value struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
	for side, t := range [...]competition.Team{m.Fixture.Home, m.Fixture.Away} {
		values := []value{}
		for _, s := range stats {
			sum, state := 0, feed.Value
			for _, metric := range s.metrics {
				n, is := sent.Value(metric, play.Side(side))
				sum, state = sum+n, min(state, is)
			}
			v := value{Type: s.name, Value: sum}
			switch {
			case state == feed.Absent:
				continue
			case state == feed.Null:
				v.Value = nil
			case s.write != nil:
				v.Value = s.write(sent.Counts(), play.Side(side), sum)
			case sum == 0 && (s.name == "Red Cards" || s.name == "Offsides") && m.Fixture.Lot(2, oddNull) == 0:
				v.Value = nil
			}
			values = append(values, v)
		}
		all = append(all, map[string]any{"team": teamOf(t).named, "statistics": values})
	}
	return all
}
