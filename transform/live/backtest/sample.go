package backtest

import (
	"math"
	"strconv"
	"time"

	"mkt/publish/football"
)

// cadence of the live pipeline, in tenths of a second.
const cadence = 80

// halfTime is how long a break lasts, in tenths of a second.
const halfTime = 15 * minuteLong

// kickOff is when every match begins: what matters is the time that goes by.
var kickOff = time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC)

// scoreboard is where each period begins on the scoreboard, in minutes.
var scoreboard = [4]int{0, 45, 90, 105}

// metrics are the kinds a live feed sends as counters, sorted by metric.
var metrics = []struct {
	kind   Kind
	metric football.Metric
}{
	{Attack, football.Attacks}, {Corner, football.Corners}, {DangerousAttack, football.DangerousAttacks},
	{Goal, football.Goals}, {OffTarget, football.OffTarget}, {OnTarget, football.OnTarget},
	{Penalty, football.Penalties}, {Possession, football.Possession}, {Red, football.RedCards}, {Yellow, football.YellowCards},
}

// Observe turns a match into the samples a client sees that polls every eight
// seconds: in every period at 0, 8, 16 … seconds and at its end, and in the
// break after it, when the clock stands still. begins are when each period
// kicks off.
func Observe(m *Match) (samples []football.Sample, begins [4]time.Time) {
	var sums [kinds][2]int
	var wall, next int
	for period, end := range m.Ends {
		if end < 0 {
			continue
		}
		begins[period] = after(wall)
		for at := 0; ; at = min(at+cadence, end) {
			for ; next < len(m.Increments) && due(&m.Increments[next], period, at); next++ {
				i := &m.Increments[next]
				sums[i.Kind][i.Side] += i.Value
			}
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

// after is the time so many tenths of a second after kick-off.
func after(tenths int) time.Time { return kickOff.Add(time.Duration(tenths) * 100 * time.Millisecond) }

func due(i *Increment, period, at int) bool {
	return i.Period < period || i.Period == period && i.At <= at
}

func playedAfter(m *Match, period int) bool {
	for _, end := range m.Ends[period+1:] {
		if end >= 0 {
			return true
		}
	}
	return false
}

func observe(m *Match, period, at, wall int, sums *[kinds][2]int, running bool) football.Sample {
	seconds := at / 10
	return football.Sample{
		ProviderFixtureID: m.ID, Home: football.Of(m.Home), Away: football.Of(m.Away),
		RetrievedAt: after(wall),
		Status:      football.InPlay,
		Clock: football.ClockReading{Half: football.Of(period + 1), Minute: football.Of(scoreboard[period] + seconds/60),
			Second: football.Of(seconds % 60), Added: football.Of(0), Running: football.Of(running)},
		Score:    football.Score{Home: football.Of(sums[Goal][0]), Away: football.Of(sums[Goal][1])},
		Counters: counters(sums),
	}
}

func counters(sums *[kinds][2]int) []football.Counter {
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
