package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

// kinds are what the timeline counts, with the words of a script for it.
var kinds = []struct {
	state    football.VisualState
	incident input.IncidentKind
	count    string // how a line of a script says the count of the home side
}{
	{football.VisualGoal, input.IncidentGoal, "ss=%d-0 corners=0/0 yellow_cards=0/0 red_cards=0/0"},
	{football.VisualCorner, input.IncidentCorner, "ss=0-0 corners=%d/0 yellow_cards=0/0 red_cards=0/0"},
	{football.VisualCard, input.IncidentYellowCard, "ss=0-0 corners=0/0 yellow_cards=%d/0 red_cards=0/0"},
	{football.VisualCard, input.IncidentRedCard, "ss=0-0 corners=0/0 yellow_cards=0/0 red_cards=%d/0"},
}

// eventsOf returns the events of a state that are on the timeline, as "minute certainty".
func eventsOf(s *live.State, state football.VisualState) (all []string) {
	for _, e := range s.Live().Timeline {
		if e.State == state {
			all = append(all, fmt.Sprintf("%d %s", e.Minute.Or(-1)+1, e.Certainty))
		}
	}
	return all
}

// aStep is one line of a script: until when the count of the home side is so, and what is
// listed.
type aStep struct {
	until, count int
	listed       string // "ID:MINUTE", or several; "-" is an empty list, and "" none
}

// runs plays each kind of event in steps of 12 s of the first half, and calls check after
// every sample.
func runs(t *testing.T, steps []aStep, check func(t *testing.T, second int, state football.VisualState, s *live.State)) {
	for _, kind := range kinds {
		t.Run(string(kind.incident), func(t *testing.T) {
			var state *live.State
			second := 240
			for _, now := range steps {
				for ; second < now.until; second += 12 {
					line := fmt.Sprintf("%d 1:%d:%d dangerous_attacks=9/9 "+kind.count, second, second/60, second%60, now.count)
					for _, listed := range strings.Fields(now.listed) {
						if listed == "-" {
							line += " inc="
							continue
						}
						id, minute, _ := strings.Cut(listed, ":")
						line += fmt.Sprintf(" inc=%s:%s:%s:HOME", id, kind.incident, minute)
					}
					next := step(t, state, line)
					state = &next
					promises(t, state)
					check(t, second, kind.state, state)
				}
			}
		})
	}
}

func wantEvents(t *testing.T, s *live.State, state football.VisualState, want ...string) {
	t.Helper()
	if got := eventsOf(s, state); !slices.Equal(got, want) {
		t.Fatalf("%s: got %v, want %v", state, got, want)
	}
}

// A count is taken back, and a true event follows soon: the line that proves the second rise
// removes what the first one had shown, and the points of a corner are in its minute.
func TestLineReplacesWhatTheRiseRestored(t *testing.T) {
	steps := []aStep{{300, 0, ""}, {360, 1, ""}, {420, 0, ""}, {432, 1, ""}, {900, 1, "1:8"}}
	runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
		switch {
		case second < 300 || second >= 360 && second < 420:
			wantEvents(t, s, kind)
		case second >= 432:
			wantEvents(t, s, kind, "8 EXACT")
		}
		if l := s.Live(); kind == football.VisualCorner && second >= 440 {
			if b := l.Series.Buckets; b[5].Home != 0 || b[7].Home != 2 {
				t.Fatalf("minute 6 %+v, minute 8 %+v", b[5], b[7])
			}
		}
	})
}

// A count falls and its event leaves the list in one answer, or stays on it: in that moment
// the event is gone.
func TestFallWaitsForNoSecondList(t *testing.T) {
	for _, after := range []string{"", "1:6"} {
		steps := []aStep{{300, 0, ""}, {360, 1, "1:6"}, {600, 0, after}, {900, 1, "2:11"}}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			switch {
			case second >= 300 && second < 360:
				wantEvents(t, s, kind, "6 EXACT")
			case second >= 360 && second < 600:
				wantEvents(t, s, kind)
			case second >= 600:
				wantEvents(t, s, kind, "11 EXACT")
			}
		})
	}
}

// An event that is listed twice for a minute is one, whichever of the two leaves; and an
// event that is listed before its count waits for it.
func TestListedTwiceIsOne(t *testing.T) {
	for _, left := range []string{"1:6", "2:6"} {
		steps := []aStep{{300, 0, ""}, {312, 1, ""}, {372, 1, "1:6 2:6"}, {480, 1, left}, {492, 1, left + " 3:9"}, {900, 2, left + " 3:9"}}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			switch {
			case second >= 492:
				wantEvents(t, s, kind, "6 EXACT", "9 EXACT")
			case second >= 312:
				wantEvents(t, s, kind, "6 EXACT")
			}
		})
	}
}

// An event that waits is not lost in a gap.
func TestWaitingEventOutlastsAGap(t *testing.T) {
	state := step(t, nil, "0 1:5:00 ss=0-0 dangerous_attacks=9/9")
	for _, line := range []string{"12 1:5:12 ss=0-0 dangerous_attacks=9/9 inc=1:GOAL:6:HOME", "200 1:8:20 ss=1-0 dangerous_attacks=9/9 inc=1:GOAL:6:HOME"} {
		state = step(t, &state, line)
		promises(t, &state)
	}
	wantEvents(t, &state, football.VisualGoal, "6 EXACT")
}

// A listed card waits for its counter, and a goal comes before that rises: both keep the minute that the
// list gives them, the card first.
func TestWaitingEventStaysBeforeALaterOne(t *testing.T) {
	const card, both = " inc=1:YELLOW_CARD:6:HOME", " inc=1:YELLOW_CARD:6:HOME inc=2:GOAL:8:HOME"
	var state *live.State
	for _, line := range []string{
		"300 1:5:00 ss=0-0 yellow_cards=0/0 red_cards=0/0", "312 1:5:12 ss=0-0 yellow_cards=0/0 red_cards=0/0", "324 1:5:24 ss=0-0 yellow_cards=0/0 red_cards=0/0" + card,
		"372 1:6:12 ss=0-0 yellow_cards=0/0 red_cards=0/0" + card, "408 1:6:48 ss=0-0 yellow_cards=0/0 red_cards=0/0" + card, "432 1:7:12 ss=1-0 yellow_cards=0/0 red_cards=0/0" + both,
		"444 1:7:24 ss=1-0 yellow_cards=1/0 red_cards=0/0" + both,
	} {
		next := step(t, state, line)
		state = &next
		promises(t, state)
	}
	wantEvents(t, state, football.VisualGoal, "8 EXACT")
	wantEvents(t, state, football.VisualCard, "6 EXACT")
	timeline := state.Live().Timeline
	of := func(state football.VisualState) int {
		return slices.IndexFunc(timeline, func(e football.TimelineEntry) bool { return e.State == state })
	}
	if of(football.VisualCard) > of(football.VisualGoal) {
		t.Errorf("%+v", timeline)
	}
}

// A corner that was taken back at the end of a half is not in the sum of that half, and one
// that rises in the next half is in that half's.
func TestCornerTakenBackOverHalfTime(t *testing.T) {
	var state live.State
	for n, line := range []string{
		"0 1:44:00 corners=0/0 dangerous_attacks=9/9", "12 1:44:12 corners=1/0 dangerous_attacks=9/9", "24 1:44:24 corners=1/0 dangerous_attacks=9/9",
		"36 1:44:36 corners=0/0 dangerous_attacks=9/9", "60 1:45:00 corners=0/0 dangerous_attacks=9/9", "72 1:45:00* corners=0/0 dangerous_attacks=9/9",
		"132 1:45:00* corners=0/0 dangerous_attacks=9/9", "192 2:45:02 corners=0/0 dangerous_attacks=9/9", "204 2:45:14 corners=0/0 dangerous_attacks=9/9",
		"216 2:45:26 corners=1/0 dangerous_attacks=9/9",
	} {
		if n == 0 {
			state = step(t, nil, line)
		} else {
			state = step(t, &state, line)
		}
		promises(t, &state)
	}
	var sums [3]int
	for _, b := range state.Live().Series.Buckets {
		sums[1+min(1, (b.Minute-1)/45)] += b.Home
	}
	if sums != [3]int{0, 0, 2} {
		t.Errorf("sums of the halves: %v", sums)
	}
	wantEvents(t, &state, football.VisualCorner, "46 INFERRED")
}

// something is an event of a feed. Times are seconds on the scoreboard.
type something struct {
	at, side            int
	shown, taken        int // when its counter has it, and when it takes it back (0 for never)
	listed, left        int // when the list has it (0 for never), and when it has it no more
	twinFrom, twinUntil int // when the list has it twice
}

// Whatever is taken back, listed late, early or twice, or missing in a few answers: after every sample the entries of a
// side are at most its count; in the end they are as many as happened, those that are listed
// are EXACT in their minute, and the points of the half are those of the counters.
func TestEntriesAreNeverMoreThanTheirCounter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
		hasLines := rapid.Bool().Draw(t, "lines")
		all := anyEvents(t, hasLines)
		cycle := rapid.SampledFrom([]int{8, 12, 30}).Draw(t, "cycle")
		lists := rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "cycles between lists")
		var empty []span // while answers have neither counts nor lines
		if rapid.Bool().Draw(t, "with empty answers") {
			empty = anySpans(t, "empty answers", 40)
			all = slices.DeleteFunc(all, func(e something) bool { return e.taken != 0 || e.twinUntil != 0 })
		}
		var state *live.State
		var shown live.Shown
		r := newReader()
		for n, now := 0, 60; now < 2690; n, now = n+1, now+cycle {
			s := sampleOf(kind.incident, all, now)
			if held(empty, now) != now {
				s = sampleOf(kind.incident, nil, now)
			}
			if !hasLines || n%lists != 0 {
				s.Incidents = football.Field[[]input.Incident]{}
			}
			next := live.Fold(state, s)
			l := next.Live()
			shown = shown.Add(&l, state, &next, true)
			r.read(t, &l, true)
			state = &next
			promises(t, state)
		}
		checkWhatHappened(t, state, kind.state, all, hasLines)
	})
}

// anyEvents draws true events, each perhaps after one that is taken back 10 to 180 s before it.
func anyEvents(t *rapid.T, hasLines bool) (all []something) {
	for at := 120; ; {
		at += rapid.IntRange(250, 700).Draw(t, "later")
		if at > 2200 {
			return all
		}
		side := rapid.IntRange(0, 1).Draw(t, "side")
		if rapid.Bool().Draw(t, "before it one that is taken back") {
			p := something{at: at, side: side, shown: at, taken: at + rapid.IntRange(12, 120).Draw(t, "taken back")}
			if hasLines && rapid.Bool().Draw(t, "listed too") {
				p.listed, p.left = at+rapid.IntRange(0, 60).Draw(t, "its line"), p.taken+rapid.IntRange(-20, 60).Draw(t, "its line leaves")
			}
			all = append(all, p)
			at = p.taken + rapid.IntRange(10, 180).Draw(t, "then a true one")
		}
		e := something{at: at, side: side, shown: at + rapid.IntRange(0, 20).Draw(t, "shown")}
		if hasLines {
			e.listed = at + rapid.IntRange(0, 60).Draw(t, "listed")
			if rapid.Bool().Draw(t, "twice") {
				e.twinFrom = e.listed + rapid.IntRange(0, 30).Draw(t, "twin")
				e.twinUntil = e.twinFrom + 60
			}
		}
		all = append(all, e)
	}
}

func sampleOf(kind input.IncidentKind, all []something, now int) *input.Sample {
	var count [2]int
	var list []input.Incident
	for n, e := range all {
		if now >= e.shown && (e.taken == 0 || now < e.taken) {
			count[e.side]++
		}
		i := input.Incident{ID: fmt.Sprint(n), Kind: kind, Minute: e.at/60 + 1, Side: football.Sides()[e.side]}
		if e.listed != 0 && now >= e.listed && (e.left == 0 || now < e.left) {
			list = append(list, i)
		}
		if i.ID += "twin"; now >= e.twinFrom && now < e.twinUntil {
			list = append(list, i)
		}
	}
	s := &input.Sample{ProviderFixtureID: "77", Status: input.InPlay, RetrievedAt: start.Add(time.Duration(now) * time.Second),
		Clock:     input.ClockReading{Half: football.Of(1), Minute: football.Of(now / 60), Second: football.Of(now % 60), Running: football.Of(true)},
		Score:     football.Score{Home: football.Of(0), Away: football.Of(0)},
		Incidents: football.Of(list)}
	counted := map[input.IncidentKind]football.Metric{input.IncidentCorner: football.Corners, input.IncidentYellowCard: football.YellowCards, input.IncidentRedCard: football.RedCards}[kind]
	for _, metric := range []football.Metric{football.Corners, football.DangerousAttacks, football.RedCards, football.YellowCards} {
		c := football.Counter{Metric: metric, Home: side("0"), Away: side("0")}
		if metric == counted {
			c.Home, c.Away = side(fmt.Sprint(count[0])), side(fmt.Sprint(count[1]))
		}
		s.Counters = append(s.Counters, c)
	}
	if kind == input.IncidentGoal {
		s.Score = football.Score{Home: football.Of(count[0]), Away: football.Of(count[1])}
	}
	return s
}

func checkWhatHappened(t *rapid.T, state *live.State, kind football.VisualState, all []something, hasLines bool) {
	var want, got []string
	happened := [2]int{}
	for _, e := range all {
		if e.taken == 0 {
			happened[e.side]++
			want = append(want, fmt.Sprintf("%s %d EXACT", football.Sides()[e.side], e.at/60+1))
		}
	}
	l := state.Live()
	for _, e := range l.Timeline {
		if e.State == kind {
			got = append(got, fmt.Sprintf("%s %d %s", e.SideProven, e.Minute.Or(-1)+1, e.Certainty))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if hasLines && !slices.Equal(want, got) || len(want) != len(got) {
		t.Fatalf("want %v\ngot  %v\nof   %+v", want, got, all)
	}
	sum := [2]int{}
	for _, b := range l.Series.Buckets {
		sum[0], sum[1] = sum[0]+b.Home, sum[1]+b.Away
	}
	if kind == football.VisualCorner && sum != [2]int{2 * happened[0], 2 * happened[1]} {
		t.Fatalf("points %v, and %v corners happened: %+v", sum, happened, all)
	}
}

// What is served of stoppage time stays the same when the next half begins.
func TestStoppageTimeStays(t *testing.T) {
	var state *live.State
	var before []string
	for _, line := range []string{
		"0 1:44:00 ss=0-0 dangerous_attacks=9/9", "60 1:45:00 ss=0-0 dangerous_attacks=9/9",
		"90 1:45:30 ss=1-0 dangerous_attacks=9/9", "150 1:46:30 ss=1-0 dangerous_attacks=9/9",
		"210 1:47:30 ss=1-0 dangerous_attacks=9/9", "270 1:48:30 ss=2-0 dangerous_attacks=9/9 inc=1:GOAL:45+4:HOME",
		"330 1:49:30 ss=2-0 dangerous_attacks=9/9 inc=1:GOAL:45+4:HOME", "340 1:45:00* ss=2-0 dangerous_attacks=9/9 inc=1:GOAL:45+4:HOME",
		"400 2:45:00 ss=2-0 dangerous_attacks=9/9 inc=1:GOAL:45+4:HOME", "412 2:45:12 ss=2-0 dangerous_attacks=9/9 inc=1:GOAL:45+4:HOME",
	} {
		next := step(t, state, line)
		state = &next
		promises(t, state)
		var now []string
		for _, e := range state.Live().Timeline {
			now = append(now, place(e)+" "+string(e.State))
		}
		if len(now) < len(before) || !slices.Equal(now[:len(before)], before) {
			t.Fatalf("%s:\nserved %v\nthen   %v", line, before, now)
		}
		before = now
	}
	for _, want := range []string{"45+1:00 GOAL", "45+4:00 GOAL", "45+5:00 HALF_TIME", "45:00 KICK_OFF"} {
		if !slices.Contains(before, want) {
			t.Errorf("no %s in %v", want, before)
		}
	}
}

// A half with a minute that is not known says so, and has the sum of the others.
func TestHalfWithABlindMinute(t *testing.T) {
	state := step(t, nil, "0 1:0:00 dangerous_attacks=0/0")
	for second := 8; second <= 45*60; second += 8 {
		if second > 606 && second < 706 {
			continue
		}
		state = step(t, &state, fmt.Sprintf("%d 1:%d:%d dangerous_attacks=%d/0", second, second/60, second%60, second/300))
		promises(t, &state)
	}
	p := state.Live().Periods[0]
	if p.State != football.BucketMissing || p.Home != 0 || p.Minutes != 45 || p.Known != 43 || p.KnownHome != 14 || p.KnownAway != 0 {
		t.Errorf("%+v", p)
	}
}
