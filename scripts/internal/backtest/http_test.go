package backtest

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// siege is a match in which home attacks every forty seconds, and away twenty times half
// a second before the end of the fourth minute.
func siege(id string) *Match {
	m := &Match{ID: id, Ends: [4]int{6000, 6000, -1, -1}}
	for at := 200; at < 6000; at += 400 {
		m.Increments = append(m.Increments, Increment{At: at, Kind: DangerousAttack, Value: 1})
	}
	for range 20 {
		m.Increments = append(m.Increments, Increment{At: 2395, Side: 1, Kind: DangerousAttack, Value: 1})
	}
	slices.SortStableFunc(m.Increments, func(a, b Increment) int { return a.At - b.At })
	return m
}

// Over HTTP a client reads the number of the newest snapshot, which is older than
// momentum at that moment.
func TestOverHTTPIsOlder(t *testing.T) {
	for n := range 20 {
		m := siege(strconv.Itoa(n))
		questions := Questions([]Match{*m})
		fresh := Momentum().Answer(m, questions)
		for _, late := range []time.Duration{0, 70 * time.Second} {
			read := OverHTTP(1, late).Answer(m, questions)
			if fresh[3] >= 50 || read[3] <= 50 {
				t.Errorf("half a second after the siege, %v late: %d now, %d over HTTP", late, fresh[3], read[3])
			}
			if seen := read[4] < 50; seen != (late == 0) {
				t.Errorf("a minute after, %v late: %d over HTTP", late, read[4])
			}
			if !slices.Equal(read, OverHTTP(1, late).Answer(m, questions)) {
				t.Error("the same seed gives other answers")
			}
		}
	}
}

// Polls are eight seconds apart from the first to the last, breaks included, and have the
// clock and the counters of their moment.
func TestPollsKeepToTheirPhase(t *testing.T) {
	m := siege("7")
	phases := map[int]bool{}
	for seed := range uint64(200) {
		phases[phaseOf(m, seed)] = true
	}
	if len(phases) < cadence*3/4 {
		t.Errorf("%d phases of 200 seeds", len(phases))
	}
	samples, begins := Poll(m, 37)
	if got, want := len(samples), (6000+halfTime+6000-37+cadence-1)/cadence; got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
	for i, s := range samples {
		since := s.RetrievedAt.Sub(kickOff)
		if want := time.Duration(37+i*cadence) * 100 * time.Millisecond; since != want {
			t.Fatalf("sample %d after %v, want %v", i, since, want)
		}
		switch rest := since - 10*time.Minute; {
		case rest < 0:
			if s.Clock.Minute.Or(0)*60+s.Clock.Second.Or(0) != int(since.Seconds()) || !s.Clock.Running.Or(false) {
				t.Fatalf("after %v the clock is %v", since, s.Clock)
			}
		case rest < 15*time.Minute:
			if s.Clock.Running.Or(true) || s.Clock.Half.Or(0) != 2 || s.Clock.Minute.Or(0) != 45 {
				t.Fatalf("in the break the clock is %v", s.Clock)
			}
		default:
			if into := since - begins[1].Sub(kickOff); s.Clock.Minute.Or(0)*60+s.Clock.Second.Or(0) != 45*60+int(into.Seconds()) || !s.Clock.Running.Or(false) {
				t.Fatalf("after %v the clock is %v", since, s.Clock)
			}
		}
	}
	i := slices.IndexFunc(samples, func(s input.Sample) bool { return !s.RetrievedAt.Before(after(2395)) })
	if got, before := attacks(samples[i]), attacks(samples[i-1]); got != "6/20" || before != "6/0" {
		t.Errorf("dangerous attacks %s, and %s before the siege", got, before)
	}
}

func attacks(s input.Sample) string {
	return text(s.Counters[slices.IndexFunc(s.Counters, func(c football.Counter) bool { return c.Metric == football.DangerousAttacks })])
}
