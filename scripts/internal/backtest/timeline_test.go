package backtest_test

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/scripts/internal/backtest"
	"mkt/transform/live"
)

// follower is a client that reads a timeline only when its revision changed, and prints each entry and
// each withdrawal once.
type follower struct {
	revision, reads    int
	printed, withdrawn map[string]bool
	goals              map[football.Side]int // printed, and not withdrawn
	entries, takenBack int
}

func (f *follower) poll(l *football.Live) {
	if l.Revision == f.revision {
		return
	}
	f.revision, f.reads = l.Revision, f.reads+1
	for _, w := range l.Withdrawn {
		if id := w.Entry.ID; f.printed[id] && !f.withdrawn[id] {
			f.withdrawn[id] = true
			f.takenBack++
			f.count(w.Entry.State, w.Entry.SideProven, -1)
		}
	}
	for _, e := range l.Timeline {
		if f.printed[e.ID] && !f.withdrawn[e.ID] {
			continue
		}
		f.printed[e.ID], f.withdrawn[e.ID] = true, false
		f.entries++
		f.count(e.State, e.SideProven, 1)
	}
}

func (f *follower) count(state football.VisualState, side football.Side, n int) {
	if state == football.VisualGoal {
		f.goals[side] += n
	}
}

// mistakes raises counters of a match for 10, 60 and 180 s, as providers do before they take a goal, a
// corner or a card back.
func mistakes(samples []input.Sample, random *rand.Rand) (made int) {
	for _, lasts := range []time.Duration{10 * time.Second, time.Minute, 3 * time.Minute} {
		for _, metric := range []football.Metric{football.Goals, football.Corners, football.YellowCards} {
			from := 10 + random.IntN(len(samples)-60)
			side := random.IntN(2)
			made++
			for i := from; i < len(samples) && samples[i].RetrievedAt.Sub(samples[from].RetrievedAt) < lasts; i++ {
				s := &samples[i]
				c := slices.IndexFunc(s.Counters, func(c football.Counter) bool { return c.Metric == metric })
				s.Counters[c].Home, s.Counters[c].Away = raised(s.Counters[c].Home, 1-side), raised(s.Counters[c].Away, side)
				if metric == football.Goals {
					s.Score = football.Score{Home: football.Of(s.Score.Home.Or(0) + 1 - side), Away: football.Of(s.Score.Away.Or(0) + side)}
				}
			}
		}
	}
	return made
}

func raised(f football.Field[football.Number], by int) football.Field[football.Number] {
	n, _ := f.Get()
	number, _ := football.ParseNumber(strconv.Itoa(int(n.Float()) + by))
	return football.Of(number)
}

// A client that follows the real matches by the revision has told, after every publication, exactly the
// goals of the score, each entry of the timeline and each withdrawal once: also if the pipeline is killed
// four times in a match, in a cycle that is never published.
func TestTimelinesAreToldOnce(t *testing.T) {
	matches, err := backtest.Read(os.DirFS(needs.Shared(t, "matches")))
	check.Must(t, err)
	var entries, takenBack, made, reads, polls, kills, goals int
	for i := range matches {
		h := fnv.New64a()
		h.Write([]byte(matches[i].ID))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		samples, _ := backtest.Observe(&matches[i])
		for k := range samples {
			samples[k].Counters = slices.Clone(samples[k].Counters)
		}
		made += mistakes(samples, random)
		killed := map[int]bool{}
		for len(killed) < 4 {
			killed[1+random.IntN(len(samples)-2)] = true
		}
		f := follower{printed: map[string]bool{}, withdrawn: map[string]bool{}, goals: map[football.Side]int{}}
		var state *live.State
		var shown live.Shown
		var first football.Score
		var newest football.Live
		for k := range samples {
			next := live.Fold(state, &samples[k])
			if killed[k-1] {
				kills++
				shown = shown.Undo()
			}
			newest = next.Live()
			shown = shown.Add(&newest, state, &next, true)
			if state = &next; k == 0 {
				first = newest.Score
			}
			if killed[k] { // what only this cycle showed reaches nobody; what was stored is read back
				stored, err := live.Decode(next.Encode(nil))
				check.Must(t, err)
				shown, err = live.DecodeShown(shown.Encode(nil))
				check.Must(t, err)
				state = &stored
				continue
			}
			polls++
			f.poll(&newest)
			home, away := newest.Score.Home.Or(0)-first.Home.Or(0), newest.Score.Away.Or(0)-first.Away.Or(0)
			if f.goals[football.SideHome] != home || f.goals[football.SideAway] != away || f.goals[football.SideNone] != 0 {
				t.Errorf("%s at %v: told %v, and the score is %d:%d", matches[i].ID, newest.At, f.goals, home, away)
				break
			}
		}
		for _, e := range newest.Timeline {
			if !f.printed[e.ID] || f.withdrawn[e.ID] {
				t.Errorf("%s: %s is not told", matches[i].ID, e.ID)
			}
		}
		goals += f.goals[football.SideHome] + f.goals[football.SideAway]
		entries, takenBack, reads = entries+f.entries, takenBack+f.takenBack, reads+f.reads
	}
	t.Logf("%d matches, %d kills: %d goals, %d entries and %d withdrawals told; %d counters were wrong for a while; %d timelines read in %d polls",
		len(matches), kills, goals, entries, takenBack, made, reads, polls)
}
