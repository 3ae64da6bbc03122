package emulator

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

// inplay answers a request for the list of matches in play. The list is not paged, and also
// has fixtures that are about to begin or just over.
func (d dialect) inplay(q simulator.Question) simulator.Answer {
	if include := q.Query.Get(api.ParamInclude); include != api.IncludeInplay {
		return wrongParameter(api.ParamInclude)
	}
	var items [][]byte
	for _, m := range q.World.Live(q.Now) {
		if m.Fixture.League.Human() {
			items = append(items, newMatch(q.World, m, q.Now).render())
		}
	}
	if len(items) == 0 {
		return d.nothing(true)
	}
	return simulator.Answer{Items: items}
}

// match is a match in play at one moment.
type match struct {
	*feed.Match
	sent feed.Sent
	at   time.Duration // since the whistle
	bare fixture
	now  *play.Period // under way, or the last one; nil before the first
}

var locations = [...]string{api.SideHome, api.SideAway}

func newMatch(w *world.World, m feed.Match, now time.Time) *match {
	x := &match{Match: &m, sent: m.Sent(now)}
	x.at = x.sent.At.Sub(m.Whistle)
	for _, p := range m.Periods() {
		if p.From <= x.at {
			x.now = &p
		}
	}
	x.bare = bare(w, m.Fixture, x.state(), true).named(m.Fixture)
	return x
}

func (x *match) render() []byte {
	f := x.bare
	f.playing = &playing{[]score{}, []period{}, []statistic{}, []event{}}
	if x.sent.Begun {
		f.playing = &playing{x.scores(), x.periods(), x.statistics(), x.events()}
	}
	return simulator.JSON(f)
}

// phaseStates are the states by phase. After the last whistle the state remains that of the
// last period until the end is reported.
var phaseStates = [...]string{play.Before: api.StateNotStarted, play.FirstHalf: api.StateFirstHalf, play.HalfTime: api.StateHalfTime,
	play.SecondHalf: api.StateSecondHalf, play.BeforeExtra: api.StateBreak, play.ExtraFirst: api.StateExtraTime,
	play.ExtraBreak: api.StateExtraBreak, play.ExtraSecond: api.StateExtraSecond, play.BeforeShootout: api.StatePenaltyBreak,
	play.Shootout: api.StatePenalties}

func (x *match) state() string {
	phase := x.sent.Clock.Phase
	switch {
	case !x.sent.Begun:
		return api.StateNotStarted
	case x.sent.Status == competition.Ended && x.now.Phase == play.Shootout:
		return api.StateAfterPenalties
	case x.sent.Status == competition.Ended && x.sent.Extra:
		return api.StateAfterExtra
	case x.sent.Status == competition.Ended:
		return api.StateFullTime
	case phase == play.FullTime || x.sent.Clock.Running:
		phase = x.now.Phase
	}
	return phaseStates[phase]
}

func (x *match) team(s play.Side) int {
	return teamID([...]competition.Team{x.Fixture.Home, x.Fixture.Away}[s])
}

// scores returns the rows of the current score and of the finished halves. The row of the
// second half includes the first.
func (x *match) scores() (all []score) {
	add := func(kind int, description string, goals [2]int) {
		for s, location := range locations {
			row := score{ID: x.bare.ID*100 + int64(len(all)), Fixture: x.bare.ID, Type: kind, Participant: x.team(play.Side(s)), Description: description}
			row.Score.Goals, row.Score.Participant = goals[s], location
			all = append(all, row)
		}
	}
	if x.sent.First != nil {
		add(1, "1ST_HALF", x.sent.First.Score())
	}
	if x.sent.Normal != nil {
		add(2, "2ND_HALF", x.sent.Normal.Score())
	}
	add(1525, api.CurrentRow, x.sent.Score)
	if x.sent.Shootout != nil {
		add(5, "PENALTY_SHOOTOUT", *x.sent.Shootout)
	}
	return all
}

// kinds are the type_id and the description of the periods. Both halves of extra time are
// one period.
var kinds = map[play.Phase]struct {
	id   int
	name string
}{
	play.FirstHalf: {1, "1st-half"}, play.SecondHalf: {2, "2nd-half"}, play.ExtraFirst: {3, "extra-time"},
	play.ExtraSecond: {3, "extra-time"}, play.Shootout: {5, "penalties"},
}

// periods returns the periods so far. Their minutes are counted from the beginning
// of the match and include stoppage time.
func (x *match) periods() (all []period) {
	for _, p := range x.Periods() {
		if p.From > x.at {
			break
		}
		kind := kinds[p.Phase]
		if p.Phase == play.ExtraSecond {
			all = all[:len(all)-1]
		}
		row := period{ID: x.periodID(p.Phase), Fixture: x.bare.ID, Type: kind.id, Started: x.Whistle.Add(p.From).Unix(), Order: kind.id,
			CountsFrom: int(p.Base / time.Minute), Description: kind.name, Length: int(p.Length / time.Minute), Ticking: x.at < p.To}
		shown := p.Base + min(x.at, p.To) - p.From
		if x.sent.Clock.Running && p.Phase == x.now.Phase { // the clock may run on for a while at half-time
			row.Ticking, shown = true, x.sent.Clock.Shown
		}
		if !row.Ticking {
			ended := x.Whistle.Add(p.To).Unix()
			row.Ended = &ended
		}
		if p.Phase != play.Shootout {
			minutes := int(shown / time.Minute)
			row.Minutes, row.Seconds = &minutes, int(shown/time.Second)%60
		}
		if p.Added > 0 && x.at >= p.Board {
			row.Added = &p.Added
		}
		all = append(all, row)
	}
	return all
}

func (x *match) periodID(p play.Phase) int64 { return x.bare.ID*10 + int64(kinds[p].id) }

// statisticTypes are the type_id of the world's counters.
var statisticTypes = []struct {
	metric play.Metric
	id     int
	sparse bool // not sent while it is 0
}{
	{play.Corners, 34, false}, {play.OffTarget, 41, false}, {play.Attacks, 43, false}, {play.DangerousAttacks, 44, false},
	{play.Possession, 45, false}, {play.BallSafe, 46, false}, {play.Penalties, 47, false}, {play.Offsides, 51, false},
	{play.Goals, 52, false}, {play.GoalKicks, 53, false}, {play.FreeKicks, 55, false}, {play.Fouls, 56, false},
	{play.Saves, 57, false}, {play.Blocked, 58, false}, {play.Substitutions, 59, false}, {play.ThrowIns, 60, false},
	{play.RedCards, 83, true}, {play.YellowCards, 84, false}, {play.SecondYellows, 85, true}, {play.OnTarget, 86, false},
	{play.Injuries, 87, false}, {play.Crosses, 98, false}, {play.KeyPasses, 117, false}, {play.ExpectedGoals, 5304, false},
}

func (x *match) statistics() []statistic {
	all := []statistic{}
	for _, t := range statisticTypes {
		for s, location := range locations {
			n, state := x.sent.Value(t.metric, play.Side(s))
			if state == feed.Absent || t.sparse && state == feed.Value && n == 0 {
				continue
			}
			row := statistic{ID: x.bare.ID*10_000 + int64(2*t.id%10_000+s), Fixture: x.bare.ID, Type: t.id, Participant: x.team(play.Side(s)), Location: location}
			if state == feed.Value {
				row.Data.Value = x.value(t.metric, play.Side(s), n)
			}
			all = append(all, row)
		}
	}
	return all
}

func (x *match) value(m play.Metric, s play.Side, n int) *json.Number {
	text := json.Number(strconv.Itoa(n))
	switch m {
	case play.Possession:
		text = json.Number(strconv.Itoa(x.sent.Counts().PossessionOf(s)))
	case play.ExpectedGoals:
		text = json.Number(strconv.FormatFloat(float64(n)/100, 'f', -1, 64))
	}
	return &text
}

// eventTypes are the type_id of events. Corners are not among them.
var eventTypes = map[play.IncidentKind]int{play.Goal: 14, play.YellowCard: 19, play.RedCard: 20, play.Substitution: 18, play.PenaltyMissed: 17}

const (
	penaltyScored = 16
	kickMissed    = 22 // in a shoot-out
	kickScored    = 23
)

// events returns the events so far. A withdrawn one stays and says so.
func (x *match) events() []event {
	all := []event{}
	var goals [2]int
	for i, r := range x.Reported() {
		kind, ok := eventTypes[r.Kind]
		if !ok || r.Appears > x.at {
			continue
		}
		minute, added := r.Clock.Minute()
		e := event{ID: x.bare.ID*1_000 + int64(i), Fixture: x.bare.ID, Period: x.periodID(r.Clock.Phase), Participant: x.team(r.Side), Type: kind,
			Section: "event", Player: optional(r.Player), Related: optional(r.Second), Minute: minute, Order: i + 1}
		if added > 0 {
			e.Extra = &added
		}
		taken := r.Withdrawn != 0 && x.at >= r.Withdrawn
		if r.Withdrawn != 0 {
			e.Rescinded = &taken
		}
		if r.Kind == play.Goal {
			e.Info = optional(r.Method)
			if r.Method == "Penalty" {
				e.Type = penaltyScored
			}
			after := goals
			after[r.Side]++
			if !taken {
				goals = after
			}
			result := strconv.Itoa(after[0]) + "-" + strconv.Itoa(after[1])
			e.Result = &result
		}
		all = append(all, e)
	}
	all = append(all, x.kicks()...)
	slices.Reverse(all) // the order of the recorded list says nothing either
	return all
}

// kicks are the events of a shoot-out: the minute is the number of the kick, and the
// result that of the shoot-out.
func (x *match) kicks() (all []event) {
	var goals [2]int
	for n, k := range x.Kicks() {
		if k.At > x.at {
			break
		}
		e := event{ID: x.bare.ID*1_000 + 900 + int64(n), Fixture: x.bare.ID, Period: x.periodID(play.Shootout), Participant: x.team(k.Side), Type: kickMissed,
			Section: "event", Player: optional(k.Player), Minute: n + 1, Order: n + 1}
		if k.Scored {
			e.Type = kickScored
			goals[k.Side]++
		}
		result := strconv.Itoa(goals[0]) + "-" + strconv.Itoa(goals[1])
		e.Result = &result
		all = append(all, e)
	}
	return all
}
