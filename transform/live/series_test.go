package live_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/transform/live"
)

// series is a recorded match, one row a minute.
type series struct {
	Stats   map[string][2]string
	Minutes []struct {
		Half, Minute                            int
		Attacks, Corners, YellowCards, RedCards [2]int
		DangerousAttacks                        [2]int `json:"dangerous_attacks"`
		OnTarget                                [2]int `json:"on_target"`
		OffTarget                               [2]int `json:"off_target"`
	}
}

// Recorded matches folded minute by minute keep every promise, whatever their
// counters did; where the provider sent the counters, momentum is there from the
// third minute on, and the buckets hold what moved.
func TestRecordedSeries(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "providers/betsapi/fragments/minute-series"), "*.json"))
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			body, err := os.ReadFile(name)
			check.Must(t, err)
			var s series
			check.Must(t, json.Unmarshal(body, &s))
			replay(t, &s)
		})
	}
}

func replay(t *testing.T, s *series) {
	t.Helper()
	var state *live.State
	available, points := 0, 0
	var last [4][2]int
	for n, row := range s.Minutes {
		sample := &input.Sample{ProviderFixtureID: "1", RetrievedAt: start.Add(time.Duration(n) * time.Minute), Status: input.InPlay,
			Clock: input.ClockReading{Half: football.Of(row.Half), Minute: football.Of(row.Minute), Second: football.Of(0), Running: football.Of(true)}}
		pressing := [4][2]int{row.DangerousAttacks, row.OnTarget, row.OffTarget, row.Corners}
		for i, c := range []struct {
			sent   string
			metric football.Metric
		}{{"corners", football.Corners}, {"dangerous_attacks", football.DangerousAttacks}, {"off_target", football.OffTarget}, {"on_target", football.OnTarget}} {
			if _, sent := s.Stats[c.sent]; sent { // the recorder wrote zeros for what was not
				pair := pressing[[]int{3, 0, 2, 1}[i]]
				sample.Counters = append(sample.Counters, football.Counter{Metric: c.metric, Home: side(strconv.Itoa(pair[0])), Away: side(strconv.Itoa(pair[1]))})
			}
		}
		next := live.Fold(state, sample)
		state = &next
		promises(t, state)
		if state.Momentum().Available() {
			available++
		}
		if n > 0 {
			points += rises(last, pressing)
		}
		last = pressing
	}
	sum := 0
	for _, b := range state.Live().Series.Buckets {
		sum += b.Home + b.Away
	}
	if _, sent := s.Stats["dangerous_attacks"]; sent && len(s.Minutes) > 10 && (available < len(s.Minutes)*9/10 || sum > points || sum < points*8/10) {
		t.Errorf("%d of %d minutes with momentum, %d points in buckets of %d", available, len(s.Minutes), sum, points)
	}
}

// rises are the points of every counter that rose, corrections included.
func rises(before, now [4][2]int) (points int) {
	for i, weight := range []int{2, 1, 1, 2} {
		for side := range 2 {
			points += weight * max(0, now[i][side]-before[i][side])
		}
	}
	return points
}
