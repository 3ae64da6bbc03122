package live_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

// played returns the state after a feed whose lines are one step each.
func played(t *testing.T, lines ...string) *live.State {
	t.Helper()
	return play(t, strings.Join(lines, "\n"), func(_ string, s *live.State) { promises(t, s) })
}

// statesOf returns the states of a timeline in their order, each with when it begins.
func statesOf(s *live.State) (all []string) {
	for _, e := range s.Live().Timeline {
		all = append(all, fmt.Sprintf("%.0f %s %s %s in %d", e.At.Sub(start).Seconds(), e.State, e.SideProven, e.Certainty, e.Minute.Or(-1)))
	}
	return all
}

// A clock and its counters stand still for minutes, while the list of events goes on. What the counters
// show afterwards happened at any time since, and is not dated: a corner is lost, and a card has the
// minute that the list gives it.
func TestListDoesNotDateWhatStoodStill(t *testing.T) {
	const still, red = " 2:60:00 corners=0/0 dangerous_attacks=9/9 yellow_cards=0/0 red_cards=0/0", " inc=1:GOAL:50:HOME"
	const card = red + " inc=2:YELLOW_CARD:63:AWAY"
	lines := []string{"0 2:59:52 corners=0/0 dangerous_attacks=9/9 yellow_cards=0/0 red_cards=0/0" + red, "8" + still + red}
	for second := 16; second < 240; second += 8 {
		listed := red
		switch {
		case second >= 220:
			listed = card + " inc=3:SUBSTITUTION:64:HOME"
		case second >= 160:
			listed = card
		}
		lines = append(lines, fmt.Sprint(second)+still+listed)
	}
	lines = append(lines, "240 2:63:52 corners=1/0 dangerous_attacks=12/9 yellow_cards=0/1 red_cards=0/0"+card+" inc=3:SUBSTITUTION:64:HOME")
	s := played(t, lines...)
	wantEvents(t, s, football.VisualCorner)
	wantEvents(t, s, football.VisualCard, "63 EXACT")
	wantEvents(t, s, football.VisualSubstitution, "64 EXACT")
	if in := s.Inputs(); in.Fast != [2]float64{} || in.Observed != 0 {
		t.Errorf("movement during the standstill counts: %+v", in)
	}
}

// A feed whose clock and counters stand still is stale, and has no momentum, although its list goes on.
func TestListDoesNotRefreshAStandstill(t *testing.T) {
	var lines []string
	for second := 0; second <= 248; second += 8 {
		board, attacks := min(second, 160), min(second, 160)/20
		line := fmt.Sprintf("%d 1:%d:%d dangerous_attacks=%d/0", second, 10+board/60, board%60, attacks)
		for n := range second / 40 {
			line += fmt.Sprintf(" inc=%d:SUBSTITUTION:%d:%s", n, 10+n, football.Sides()[n%2])
		}
		lines = append(lines, line)
	}
	s := played(t, lines...)
	l := s.Live()
	if l.Visual.State != football.VisualStale || l.Momentum.Reason != football.FeedStale {
		t.Errorf("88 s after the clock stood still: %+v, %+v", l.Visual, l.Momentum)
	}
	if l.Momentum.FeedAge.Seconds() != 88 {
		t.Errorf("the newest sample is %v old", l.Momentum.FeedAge)
	}
	if got := eventsOf(s, football.VisualSubstitution); len(got) != 6 {
		t.Errorf("listed while the clock stood still: %v", got)
	}
}

// A listed event that is withdrawn while the clock stands still leaves the timeline.
func TestListWithdrawsDuringAStandstill(t *testing.T) {
	s := played(t,
		"0 1:9:52 dangerous_attacks=9/9", "8 1:10:00 dangerous_attacks=9/9", "16 1:10:00 dangerous_attacks=9/9 inc=1:GOAL:10:HOME inc=2:GOAL:9:HOME",
		"24 1:10:00 dangerous_attacks=9/9 inc=2:GOAL:9:HOME", "32 1:10:00 dangerous_attacks=9/9 inc=2:GOAL:9:HOME")
	wantEvents(t, s, football.VisualGoal, "9 EXACT")
}

// lateFeed plays a provider that sends minutes, and counters once a minute as they were up to a
// minute ago. The feed stands still from a second to another. Corners are those of home, in seconds.
func lateFeed(t *testing.T, from, to, until int, corners ...int) *live.State {
	t.Helper()
	var lines []string
	for second := 600; second <= until; second += 8 {
		seen := second
		if second >= from && second < to {
			seen = from
		}
		counted := second - second%60
		if counted >= from && counted < to {
			counted = from
		}
		count := 0
		for _, at := range corners {
			if at <= counted {
				count++
			}
		}
		line := fmt.Sprintf("%d 1:%d:- late ss=0-0", second, seen/60)
		if (second-600)%56 == 0 {
			line += fmt.Sprintf(" corners=%d/0 off_target=%d/0", count, count)
		} else {
			line += " unasked"
		}
		lines = append(lines, line)
	}
	return played(t, lines...)
}

// Counters that are renewed once a minute still show, for two minutes after a standstill, what happened
// in it. That is not dated, and what happens later is.
func TestLateCountersAreNotDatedAfterAStandstill(t *testing.T) {
	for phase := 0; phase < 120; phase += 8 {
		from := 900 + phase
		s := lateFeed(t, from, from+200, 1500, from+20, from+190)
		wantEvents(t, s, football.VisualCorner)
		if i := slices.IndexFunc(s.Live().Timeline, func(e football.TimelineEntry) bool { return e.State == football.VisualDanger }); i >= 0 {
			t.Errorf("standstill at %d: shots in it are dated: %v", from, statesOf(s))
		}
		s = lateFeed(t, from, from+200, 1500, from+20, from+190, from+330)
		if got := eventsOf(s, football.VisualCorner); len(got) != 1 {
			t.Errorf("standstill at %d, corner at %d: %v", from, from+330, got)
		}
	}
}

// If counters were not asked for in minutes, what they then show happened at any time since.
func TestCountersNotAskedForLongAreNotDated(t *testing.T) {
	lines := []string{"600 1:10:- late ss=0-0 corners=0/0 off_target=0/0", "656 1:10:- late ss=0-0 corners=0/0 off_target=0/0"}
	for second := 664; second < 900; second += 8 {
		lines = append(lines, fmt.Sprintf("%d 1:%d:- late ss=0-0 unasked", second, second/60))
	}
	lines = append(lines, "900 1:15:- late ss=0-0 corners=1/0 off_target=1/0", "956 1:15:- late ss=0-0 corners=1/0 off_target=1/0",
		"1012 1:16:- late ss=0-0 corners=2/0 off_target=1/0")
	s := played(t, lines...)
	wantEvents(t, s, football.VisualCorner, "17 INFERRED")
	if slices.ContainsFunc(s.Live().Timeline, func(e football.TimelineEntry) bool { return e.State == football.VisualDanger }) {
		t.Errorf("%v", statesOf(s))
	}
}

// A corner that was shown by mistake is not shown again because another one is taken more than two
// minutes after it was taken back.
func TestTakenBackStaysAwayFromALaterOne(t *testing.T) {
	for later, want := range map[int]string{112: "6 INFERRED", 128: "10 INFERRED", 160: "10 INFERRED"} {
		steps := []aStep{{300, 0, ""}, {360, 1, ""}, {360 + later, 0, ""}, {900, 1, ""}}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			if second > 880 {
				if later > 120 {
					want = fmt.Sprintf("%d INFERRED", (300+60+later+11)/60+1)
				}
				wantEvents(t, s, kind, want)
			}
		})
	}
}

// A counter falls for minutes and climbs back, while the list holds its event all the time: it is that
// event, and not a new one.
func TestListedEventOutlastsALongFall(t *testing.T) {
	for _, fell := range []int{112, 400} {
		steps := []aStep{{300, 0, ""}, {420, 1, "1:6"}, {420 + fell, 0, "1:6"}, {1200, 1, "1:6"}}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			switch {
			case second > 300 && second < 420 || second > 430+fell:
				wantEvents(t, s, kind, "6 EXACT")
			case second > 430 && second < 420+fell:
				wantEvents(t, s, kind)
			}
			if second > 1180 && kind == football.VisualCorner {
				if b := s.Live().Series.Buckets; b[5].Home != 2 || b[(420+fell)/60].Home != 0 {
					t.Errorf("points of the corner are not in its minute: %+v", b)
				}
			}
		})
	}
}

// feedShape is how a provider sends a match.
type feedShape struct {
	name         string
	hasSeconds   bool
	lists        bool // has it a list of events, cards among them
	listsCorners bool
	countsEvery  int // counters are in every so manieth sample
	renewed      int // and as old as the last multiple of so many seconds
}

// feedShapes are those of the providers with live data, and one without a list.
var feedShapes = []feedShape{
	{"betsapi", true, true, true, 1, 1}, {"sportmonks", true, true, true, 1, 1}, {"apifootball", false, true, false, 7, 60}, {"no list", true, false, false, 1, 1},
}

// blind is for how many seconds before it shows an event may have happened: as long as a feed may be
// silent, and as long again if the sample before was already old, which only the scoreboard tells
// afterwards.
func (f *feedShape) blind() int {
	if f.hasSeconds {
		return 2 * 60
	}
	return 2 * (60 + 75)
}

// span is from one second of the match until just before another.
type span struct{ from, to int }

func anySpans(t *rapid.T, name string, length int) (all []span) {
	for at := 300; ; {
		at += rapid.IntRange(200, 900).Draw(t, "until the next "+name)
		if at > 2300 {
			return all
		}
		s := span{at, at + rapid.IntRange(10, length).Draw(t, name)}
		all, at = append(all, s), s.to
	}
}

// held returns the beginning of the span that holds a second, and the second itself outside them.
func held(all []span, second int) int {
	for _, s := range all {
		if second >= s.from && second < s.to {
			return s.from
		}
	}
	return second
}

// sample returns what is sent at a second. During a standstill the list goes on if listGoesOn is true.
func (f *feedShape) sample(n, second int, corners, cards []something, still []span, listGoesOn bool) *input.Sample {
	board, listed := held(still, second), second
	if !listGoesOn {
		listed = board
	}
	s := &input.Sample{ProviderFixtureID: "77", Status: input.InPlay, RetrievedAt: start.Add(time.Duration(second) * time.Second),
		Clock: input.ClockReading{Half: football.Of(1), Minute: football.Of(board / 60), Running: football.Of(true)},
		Score: football.Score{Home: football.Of(0), Away: football.Of(0)}, CountersNotAsked: n%f.countsEvery != 0}
	if f.hasSeconds {
		s.Clock.Second = football.Of(board % 60)
	}
	if f.renewed > 1 {
		s.CountersLag = time.Duration(f.renewed) * time.Second
	}
	list := []input.Incident{}
	counted := held(still, second-second%f.renewed)
	for _, kind := range []struct {
		metric football.Metric
		what   input.IncidentKind
		all    []something
		listed bool
	}{{football.Corners, input.IncidentCorner, corners, f.listsCorners}, {football.YellowCards, input.IncidentYellowCard, cards, f.lists}} {
		var count [2]int
		for n, e := range kind.all {
			if e.at <= counted {
				count[e.side]++
			}
			if kind.listed && e.listed <= listed {
				list = append(list, input.Incident{ID: fmt.Sprint(kind.what, n), Kind: kind.what, Minute: e.at/60 + 1, Side: football.Sides()[e.side]})
			}
		}
		s.Counters = append(s.Counters, football.Counter{Metric: kind.metric, Home: side(fmt.Sprint(count[0])), Away: side(fmt.Sprint(count[1]))})
	}
	s.Counters = append(s.Counters, football.Counter{Metric: football.RedCards, Home: side("0"), Away: side("0")})
	slices.SortFunc(s.Counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	if s.CountersNotAsked {
		s.Counters = nil
	}
	if f.lists {
		s.Incidents = football.Of(list)
	}
	return s
}

// However long a feed stands still, whether or not its list goes on, and however long no cycle runs: an
// entry that counters alone show is about an event of at most the time without a sample before, and one
// that the list shows is in its minute.
func TestNoTimeIsStatedThatNoSampleProves(t *testing.T) {
	for _, shape := range feedShapes {
		t.Run(shape.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				corners, cards := anyTrueEvents(t, "corner"), anyTrueEvents(t, "card")
				still, pauses := anySpans(t, "standstill", 400), anySpans(t, "pause", 200)
				listGoesOn := rapid.Bool().Draw(t, "the list goes on")
				var state *live.State
				for n, second := 0, 60; second < 2690; n, second = n+1, second+8 {
					if held(pauses, second) != second {
						continue
					}
					s := shape.sample(n, second, corners, cards, still, listGoesOn)
					if state != nil && state.InPlay() && state.At().Before(state.StaleAt()) && s.RetrievedAt.After(state.StaleAt()) {
						passed := live.Pass(*state, state.StaleAt().Add(time.Millisecond)) // as the pipeline does
						state = &passed
					}
					next := live.Fold(state, s)
					state = &next
					if n%4 == 0 {
						promises(t, state)
						checkDated(t, state, &shape, football.VisualCorner, corners)
						checkDated(t, state, &shape, football.VisualCard, cards)
					}
				}
			})
		})
	}
}

// anyTrueEvents draws events that are listed up to half a minute later.
func anyTrueEvents(t *rapid.T, name string) (all []something) {
	for at := 120; ; {
		at += rapid.IntRange(40, 500).Draw(t, "until the next "+name)
		if at > 2600 {
			return all
		}
		all = append(all, something{at: at, side: rapid.IntRange(0, 1).Draw(t, "side"), listed: at + rapid.IntRange(0, 30).Draw(t, "listed")})
	}
}

func checkDated(t *rapid.T, s *live.State, shape *feedShape, state football.VisualState, all []something) {
	for _, e := range s.Live().Timeline {
		if e.State != state {
			continue
		}
		at := int(e.At.Sub(start) / time.Second)
		is := func(of something) bool {
			if e.SideProven != football.Sides()[of.side] {
				return false
			}
			if e.Certainty == football.Exact {
				return of.at/60 == e.Minute.Or(-1)
			}
			return of.at <= at && at-of.at <= shape.blind()+8
		}
		if !slices.ContainsFunc(all, is) {
			t.Fatalf("%s: %s of %s at %d s (minute %d, %s) never happened: %+v\n%v", shape.name, e.State, e.SideProven, at, e.Minute.Or(-1), e.Certainty, all, statesOf(s))
		}
	}
}

// After a pause the feed stands still already, and its scoreboard jumps when it goes on: what shows then
// happened at any time since the pause.
func TestJumpOfTheScoreboardDatesNothing(t *testing.T) {
	for board, want := range map[string][]string{"11:00": {"12 INFERRED"}, "12:00": nil} {
		s := played(t, "0 1:10:00 corners=0/0 dangerous_attacks=1/0", "8 1:10:08 corners=0/0 dangerous_attacks=1/0",
			"16 1:"+board+" corners=1/0 dangerous_attacks=2/0")
		wantEvents(t, s, football.VisualCorner, want...)
	}
}

// Two listed cards wait for their counters, which rise in the order of the cards, the second in a gap: each is
// in its minute, and the first stands before the second.
func TestCardsThatWaitedStandInTheirOrder(t *testing.T) {
	const first, both = " inc=1:YELLOW_CARD:31:HOME", " inc=1:YELLOW_CARD:31:HOME inc=2:YELLOW_CARD:32:AWAY"
	s := played(t, "1800 1:30:00 yellow_cards=0/0 red_cards=0/0", "1812 1:30:12 yellow_cards=0/0 red_cards=0/0"+first,
		"1870 1:31:10 yellow_cards=1/0 red_cards=0/0"+both, "2000 1:33:20 yellow_cards=1/1 red_cards=0/0"+both)
	wantEvents(t, s, football.VisualCard, "31 EXACT", "32 EXACT")
}

// The clock was an hour ahead and is corrected. The next sample is shown at once, with its score and its time,
// and it is not compared with what was seen before.
func TestClockThatIsSetBack(t *testing.T) {
	s := played(t,
		"3600 1:10:00 ss=0-0 corners=0/0 dangerous_attacks=1/1",
		"3608 1:10:08 ss=0-0 corners=0/0 dangerous_attacks=1/1",
		"16 1:10:16 ss=1-0 corners=0/0 dangerous_attacks=2/1",
		"24 1:10:24 ss=1-0 corners=1/0 dangerous_attacks=3/1")
	if l := s.Live(); l.Score.Home.Or(-1) != 1 || !l.Fixture.FetchedAt.Equal(start.Add(24*time.Second)) {
		t.Errorf("%+v of %s", l.Score, l.Fixture.FetchedAt)
	}
	wantEvents(t, s, football.VisualGoal)
	wantEvents(t, s, football.VisualCorner, "11 INFERRED")
	// A second is no clock that was set.
	s = played(t, "60 1:10:00 ss=1-0", "59 1:09:59 ss=0-0")
	if l := s.Live(); l.Score.Home.Or(-1) != 1 {
		t.Errorf("an older sample is shown: %+v", l.Score)
	}
}

// The clock was an hour ahead and is corrected, and no list has the match any more. How old its newest sample
// is cannot be known: it is stale at once.
func TestUnlistedWhileTheClockIsSetBack(t *testing.T) {
	const board = " ss=1-0 corners=0/0 dangerous_attacks="
	lines := []string{"3600 1:10:00" + board + "1/1"}
	for s := 8; s <= 240; s += 8 {
		lines = append(lines, fmt.Sprintf("%d 1:%d:%02d%s%d/1", 3600+s, 10+s/60, s%60, board, 1+s/16))
	}
	s := played(t, lines...)
	if l := s.Live(); !l.Momentum.Available() || l.Visual.State == football.VisualStale {
		t.Fatalf("before: %+v", l)
	}
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	next := live.Pass(*s, at(248))
	promises(t, &next)
	l := next.Live()
	if !l.InPlay || l.Momentum.Reason != football.FeedStale || l.Visual.State != football.VisualStale || l.Visual.Certainty != football.Unknown || !l.StaleAt.Before(at(248)) {
		t.Errorf("%+v", l)
	}
	if !l.At.Equal(at(248)) || l.Fixture.FetchedAt.After(l.At) || l.Score.Home.Or(-1) != 1 {
		t.Errorf("%+v", l)
	}
	if got := statesOf(&next); !slices.Equal(got, []string{"248 STALE NONE UNKNOWN in 14"}) || !l.Timeline[0].Until.Equal(at(248)) {
		t.Errorf("%v", got)
	}
	again, err := live.Decode(next.Encode(nil))
	if err != nil || !reflect.DeepEqual(again.Live(), l) {
		t.Errorf("%v: %+v", err, again.Live())
	}
	// The match is listed again: the time in between is a gap.
	back := step(t, &next, "256 1:14:16 ss=1-0 corners=2/0 dangerous_attacks=30/1")
	promises(t, &back)
	wantEvents(t, &back, football.VisualCorner)
	if l := back.Live(); l.Momentum.Reason != football.InsufficientSamples || !l.Fixture.FetchedAt.Equal(at(256)) {
		t.Errorf("%+v", l)
	}

	// A match that has left play is dropped after a quarter of an hour all the same.
	for _, how := range []string{"3848 leave", "3848 - status=off"} {
		gone := step(t, s, how)
		gone = live.Pass(gone, at(256))
		if gone.InPlay() || gone.Expired(at(256+14*60)) || !gone.Expired(at(256+15*60)) {
			t.Errorf("%s: %+v", how, gone.Live())
		}
	}
	off := step(t, s, "248 - status=off")
	if off.InPlay() || off.Expired(at(248+14*60)) || !off.Expired(at(248+15*60)) {
		t.Errorf("%+v", off.Live())
	}
	// Some seconds are no clock that was set.
	soon := live.Pass(*s, at(3820))
	if l := soon.Live(); !l.Momentum.Available() || !l.At.Equal(at(3840)) {
		t.Errorf("%+v", l)
	}
}

// The clock is corrected, and no list has the match any more. Whether the clock was ahead from the beginning or
// only lately is not known, and so no time from before the correction is stated: times that were right are not
// moved to before the first sample, and wrong ones are not kept.
func TestNoTimeIsStatedFromBeforeTheClockIsSetBack(t *testing.T) {
	for _, ahead := range []struct {
		from, by int // in seconds
	}{{0, 3600}, {248, 3600}, {128, 100}, {304, 3600}} {
		var lines []string
		now := func(s int) int {
			if s >= ahead.from {
				return s + ahead.by
			}
			return s
		}
		for s := 0; s <= 296; s += 8 {
			lines = append(lines, fmt.Sprintf("%d 1:%d:%02d ss=1-0 corners=%d/0 dangerous_attacks=%d/1 inc=1:GOAL:3:HOME", now(s), 10+s/60, s%60, s/100, 1+s/16))
		}
		for last, want := range map[string]string{
			"pass":  "STALE NONE UNKNOWN in 14",
			"leave": "STALE NONE UNKNOWN in 14",
			"2:90:00* ss=1-0 corners=2/0 dangerous_attacks=19/1 status=over": "FULL_TIME NONE INFERRED in 90",
		} {
			s := played(t, append(lines, fmt.Sprint(now(304), " ", last))...)
			next := live.Pass(*s, start.Add(312*time.Second))
			promises(t, &next)
			l := next.Live()
			if got := statesOf(&next); !slices.Equal(got, []string{"312 " + want}) {
				t.Errorf("ahead from %d s, %s: %v", ahead.from, last, got)
			}
			if l.Fixture.FetchedAt.Before(start) || l.Fixture.FetchedAt.After(l.At) || next.InPlay() != (last == "pass") || next.Expired(l.At) {
				t.Errorf("ahead from %d s, %s: %+v", ahead.from, last, l)
			}
			for _, f := range l.Counters {
				if f.Metric == football.Corners && digits(f.Home) != "2" {
					t.Errorf("ahead from %d s, %s: %+v", ahead.from, last, l.Counters)
				}
			}
			// It is listed again: what the list shows is in its minute, and everything else is a baseline.
			board := "1:15:20"
			if next.Live().Clock.Phase == football.FullTime {
				board = "2:90:08"
			}
			back := step(t, &next, "320 "+board+" ss=2-0 corners=3/0 dangerous_attacks=30/1 inc=1:GOAL:3:HOME")
			promises(t, &back)
			wantEvents(t, &back, football.VisualCorner)
			wantEvents(t, &back, football.VisualGoal, "3 EXACT")
		}
	}
}

// The clock is corrected before the kick-off: the match is not stale, and what happens in it is shown.
func TestClockIsSetBackBeforeKickOff(t *testing.T) {
	s := played(t, "3600 1:0:00* ss=0-0 dangerous_attacks=0/0 corners=0/0", "3608 pass", "16 pass")
	if got := statesOf(s); len(got) > 0 {
		t.Errorf("%v", got)
	}
	first := step(t, s, "24 1:0:08 ss=0-0 dangerous_attacks=2/0 corners=1/0")
	wantEvents(t, &first, football.VisualCorner)
	if in := first.Inputs(); in.Fast != [2]float64{} {
		t.Errorf("movement since the clock was ahead counts: %+v", in)
	}
	second := step(t, &first, "32 1:0:16 ss=0-0 dangerous_attacks=3/0 corners=2/0")
	wantEvents(t, &second, football.VisualCorner, "1 INFERRED")
}

// Without a scoreboard, a listed event from before the clock was set back stands before the gap again.
func TestListWithoutAScoreboardAfterTheClockIsSetBack(t *testing.T) {
	const goal = " - ss=1-0 inc=1:GOAL:3:HOME"
	s := played(t, "3600"+goal, "3608"+goal, "16 pass", "24"+goal)
	if l := s.Live().Timeline; len(l) < 2 || l[0].State != football.VisualGoal || l[0].Certainty != football.Exact || l[1].State != football.VisualStale {
		t.Errorf("%v", statesOf(s))
	}
}
