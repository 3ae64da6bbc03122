package backtest

import (
	"math"
	"strconv"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// cadence of the live pipeline, in tenths of a second.
const cadence = 80

// halfTime is how long a break lasts, in tenths of a second.
const halfTime = 15 * minuteLong

// kickOff of every match is the same: only the time since matters.
var kickOff = time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC)

// scoreboard is where each period begins on the scoreboard, in minutes.
var scoreboard = [4]int{0, 45, 90, 105}

// metrics are the kinds that a live feed sends as counters, sorted by metric.
var metrics = []struct {
	kind   Kind
	metric football.Metric
}{
	{Attack, football.Attacks}, {Corner, football.Corners}, {DangerousAttack, football.DangerousAttacks},
	{Goal, football.Goals}, {OffTarget, football.OffTarget}, {OnTarget, football.OnTarget},
	{Penalty, football.Penalties}, {Possession, football.Possession}, {Red, football.RedCards}, {Yellow, football.YellowCards},
}

// Observe returns the samples of a client that polls a match every eight seconds: in
// every period at 0, 8, 16 … seconds and at its end, and in the break after it, while
// the clock stands still. begins are when each period kicks off.
func Observe(m *Match) (samples []input.Sample, begins [4]time.Time) {
	var sums totals
	var wall, next int
	for period, end := range m.Ends {
		if end < 0 {
			continue
		}
		begins[period] = after(wall)
		for at := 0; ; at = min(at+cadence, end) {
			next = sums.add(m.Increments, next, period, at)
			samples = append(samples, observe(m, period, at, wall+at, &sums, true))
			if at == end {
				break
			}
		}
		wall += end
		if !playedAfter(m, period) {
			break
		}
		for rest := cadence; rest < halfTime; rest += cadence {
			samples = append(samples, observe(m, period+1, 0, wall+rest, &sums, false))
		}
		wall += halfTime
	}
	return samples, begins
}

// Poll returns the samples of a client whose polls do not follow the clock of the match:
// every eight seconds from phase (tenths of a second, below eight seconds) after kick-off
// on, breaks included.
func Poll(m *Match, phase int) (samples []input.Sample, begins [4]time.Time) {
	var sums totals
	var wall, next int
	poll := phase
	for period, end := range m.Ends {
		if end < 0 {
			continue
		}
		begins[period] = after(wall)
		for ; poll < wall+end; poll += cadence {
			next = sums.add(m.Increments, next, period, poll-wall)
			samples = append(samples, observe(m, period, poll-wall, poll, &sums, true))
		}
		wall += end
		if !playedAfter(m, period) {
			break
		}
		next = sums.add(m.Increments, next, period, end)
		for ; poll < wall+halfTime; poll += cadence {
			samples = append(samples, observe(m, period+1, 0, poll, &sums, false))
		}
		wall += halfTime
	}
	return samples, begins
}

// after is the time some tenths of a second after kick-off.
func after(tenths int) time.Time { return kickOff.Add(time.Duration(tenths) * 100 * time.Millisecond) }

// totals are the counters so far, by side.
type totals [kinds][2]int

// add adds the increments from index next up to a moment of a period, and returns the
// next index.
func (t *totals) add(increments []Increment, next, period, at int) int {
	for ; next < len(increments); next++ {
		i := &increments[next]
		if i.Period > period || i.Period == period && i.At > at {
			break
		}
		t[i.Kind][i.Side] += i.Value
	}
	return next
}

func playedAfter(m *Match, period int) bool {
	for _, end := range m.Ends[period+1:] {
		if end >= 0 {
			return true
		}
	}
	return false
}

func observe(m *Match, period, at, wall int, sums *totals, running bool) input.Sample {
	seconds := at / 10
	return input.Sample{
		ProviderFixtureID: m.ID, Home: football.Of(m.Home), Away: football.Of(m.Away),
		RetrievedAt: after(wall),
		Status:      input.InPlay,
		Clock: input.ClockReading{Half: football.Of(period + 1), Minute: football.Of(scoreboard[period] + seconds/60),
			Second: football.Of(seconds % 60), Added: football.Of(0), Running: football.Of(running)},
		Score:    football.Score{Home: football.Of(sums[Goal][0]), Away: football.Of(sums[Goal][1])},
		Counters: counters(sums),
	}
}

func counters(sums *totals) []football.Counter {
	list := make([]football.Counter, 0, len(metrics))
	for _, m := range metrics {
		home, away := sums[m.kind][0], sums[m.kind][1]
		if m.kind == Possession {
			if home+away == 0 {
				continue // nothing sent
			}
			home = int(math.RoundToEven(100 * float64(home) / float64(home+away)))
			away = 100 - home
		}
		list = append(list, football.Counter{Metric: m.metric, Home: number(home), Away: number(away)})
	}
	return list
}

func number(n int) football.Field[football.Number] {
	parsed, _ := football.ParseNumber(strconv.Itoa(n))
	return football.Of(parsed)
}
