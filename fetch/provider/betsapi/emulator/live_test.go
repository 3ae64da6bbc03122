package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
)

// simLiveItem is a record of the events family as it is read here, on its own.
type simLiveItem struct {
	ID         string
	Time       string
	TimeStatus string `json:"time_status"`
	League     struct {
		ID, Name string
		CC       *string
	}
	Home, Away struct{ ID, Name string }
	SS         *string
	Scores     map[string]struct{ Home, Away string }
	Stats      map[string][2]string
	FI         string `json:"bet365_id"`
	Timer      *liveTimer
	Events     []struct{ ID, Text string }
	Updated    string `json:"inplay_updated_at"`
}

type liveTimer struct {
	TM, TS, TA, MD int
	TT             string
}

type simLivePage struct {
	Success int
	Pager   struct {
		Page    int
		PerPage int `json:"per_page"`
		Total   int
	}
	Results []simLiveItem
}

func livePageOf(t testing.TB, body []byte) simLivePage {
	t.Helper()
	var p simLivePage
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&p); err != nil || p.Success != 1 {
		t.Fatalf("%v: %.300s", err, body)
	}
	return p
}

// overHTTP serves a simulator and returns a function that asks it.
func overHTTP(t *testing.T, sim *simulator.Server) func(path string) []byte {
	t.Helper()
	url, _, err := simulator.Listen(t.Context(), sim, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) []byte {
		t.Helper()
		res, err := http.Get(url + path + "&token=" + sim.Tokens()[0])
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-RateLimit-Remaining") == "" {
			t.Fatalf("%s: status %d, %v, %v", path, res.StatusCode, res.Header, err)
		}
		return body
	}
}

const (
	askInPlay = "/v3/events/inplay?sport_id=1"
	askView   = "/v1/event/view?event_id="
)

// moving is a clock that a test sets.
type moving struct{ at time.Time }

func (m *moving) now() time.Time { return m.at }

// The list, over HTTP, has what the simulator means: clock, score, counters in
// their states, for many matches and moments.
func TestLiveListHasWhatIsMeant(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 150, Quota: 1 << 20, Now: clock.now, Faults: faultsOf(t, "correction:0.8", "vanish:0.6", "null:0.5", "late:0.3", "stall:0.3", "freeze:0.5")})
	get := overHTTP(t, sim)
	states := make(map[string]int)
	for range 6 {
		page := livePageOf(t, get(askInPlay))
		meant := sim.InPlay(sim.Tokens()[0])
		if len(page.Results) != len(meant) || page.Pager.PerPage != 1000 || page.Pager.Total != len(meant) {
			t.Fatalf("%d listed, %d meant, %+v", len(page.Results), len(meant), page.Pager)
		}
		for i := range meant {
			checkLive(t, &page.Results[i], &meant[i], clock.at, states)
		}
		clock.at = clock.at.Add(13*time.Minute + 7*time.Second)
	}
	for _, state := range []string{"absent", "null", "one side null", "zero", "value"} {
		if states[state] == 0 {
			t.Errorf("nothing was %s: %v", state, states)
		}
	}
}

func faultsOf(t testing.TB, texts ...string) (all []simulator.Fault) {
	t.Helper()
	for _, text := range texts {
		f, err := simulator.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

var plainCounters = map[string]simulator.Metric{"attacks": simulator.Attacks, "dangerous_attacks": simulator.DangerousAttacks,
	"on_target": simulator.OnTarget, "off_target": simulator.OffTarget, "corners": simulator.Corners, "goals": simulator.Goals,
	"yellowcards": simulator.YellowCards, "redcards": simulator.RedCards, "yellowred_cards": simulator.SecondYellows,
	"penalties": simulator.Penalties, "substitutions": simulator.Substitutions, "fouls": simulator.Fouls, "saves": simulator.Saves,
	"throwins": simulator.ThrowIns, "ball_safe": simulator.BallSafe, "offsides": simulator.Offsides}

func checkLive(t *testing.T, it *simLiveItem, m *simulator.MeantMatch, now time.Time, states map[string]int) {
	t.Helper()
	s := m.Sent(now)
	wantFI := m.ID
	if m.WithoutID {
		wantFI = ""
	}
	if it.ID != m.EventID || it.FI != wantFI || it.Home.Name != m.Fixture.Home.Name || it.League.Name != m.Fixture.League.Name || it.Time != fmt.Sprint(m.Fixture.KickOff.Unix()) {
		t.Fatalf("item %+v, meant %s %s", it, m.EventID, m.ID)
	}
	if !s.Begun {
		if it.SS != nil || it.Scores != nil || it.Stats != nil || it.Timer != nil && *it.Timer != (liveTimer{TT: "0"}) {
			t.Errorf("%s has not begun: %+v", it.ID, it)
		}
		return
	}
	if want := fmt.Sprintf("%d-%d", s.Score[0], s.Score[1]); it.SS == nil || *it.SS != want || it.Scores["2"].Home+"-"+it.Scores["2"].Away != want {
		t.Errorf("%s: score %v, want %s", it.ID, it.SS, want)
	}
	if _, half := it.Scores["1"]; half && s.First == nil {
		t.Errorf("%s: a half-time score in the first half", it.ID)
	}
	if it.Timer == nil != m.WithoutTimer {
		t.Errorf("%s: timer %v", it.ID, it.Timer)
	}
	if it.Timer != nil && (time.Duration(it.Timer.TM*60+it.Timer.TS)*time.Second != s.Clock.Shown || (it.Timer.TT == "1") != s.Clock.Running || it.Timer.TA != s.Clock.Added) {
		t.Errorf("%s: timer %+v, meant %+v", it.ID, it.Timer, s.Clock)
	}
	for key, metric := range plainCounters {
		checkStat(t, it, key, states, func(side simulator.Side) (string, simulator.State) {
			n, state := s.Value(metric, side)
			return fmt.Sprint(n), state
		})
	}
	checkStat(t, it, "xg", states, func(side simulator.Side) (string, simulator.State) {
		n, state := s.Value(simulator.ExpectedGoals, side)
		return fmt.Sprintf("%d.%02d", n/100, n%100), state
	})
	checkStat(t, it, "possession_rt", states, func(side simulator.Side) (string, simulator.State) {
		percent, _ := s.Counts().HomePossession()
		_, state := s.Value(simulator.Possession, side)
		return fmt.Sprint([2]int{percent, 100 - percent}[side]), state
	})
}

// checkStat compares both sides of one statistic, and counts what it saw.
func checkStat(t *testing.T, it *simLiveItem, key string, states map[string]int, meant func(simulator.Side) (string, simulator.State)) {
	t.Helper()
	values, sent := it.Stats[key]
	if !sent {
		values = [2]string{"absent", "absent"}
	}
	for side := range values {
		text, state := meant(simulator.Side(side))
		want := map[simulator.State]string{simulator.Absent: "absent", simulator.Null: "", simulator.Value: text}[state]
		if got, _, _ := strings.Cut(values[side], ","); got != want { // "155,119,36" after extra time
			t.Errorf("%s %s of side %d: %q, meant %q", it.ID, key, side, values[side], want)
		}
	}
	switch {
	case !sent:
		states["absent"]++
	case values[0] == "" && values[1] == "":
		states["null"]++
	case values[0] == "" || values[1] == "":
		states["one side null"]++
	case values[0] == "0":
		states["zero"]++
	default:
		states["value"]++
	}
}

func TestLiveAnswersAreRepeatable(t *testing.T) {
	options := func(clock *moving) simulator.Options {
		return simulator.Options{Seed: 3, InPlay: 40, Now: clock.now}
	}
	one, two := &moving{simNoon}, &moving{simNoon.Add(-3 * time.Hour)}
	a, b := simulated(t, options(one)), simulated(t, options(two)) // two starts: a world does not know of its start
	ask(t, b, askInPlay)
	two.at = simNoon
	var ids []string
	for _, m := range a.InPlay(a.Tokens()[0])[:10] {
		ids = append(ids, m.EventID)
	}
	for _, path := range []string{askView + strings.Join(ids, ","), "/v1/events/inplay?sport_id=1", askInPlay} {
		if !bytes.Equal(ask(t, a, path).Body.Bytes(), ask(t, b, path).Body.Bytes()) {
			t.Errorf("%s: one seed and one moment gave two answers", path)
		}
	}
	if !bytes.Equal(ask(t, a, "/v1/events/inplay?sport_id=1").Body.Bytes(), ask(t, a, askInPlay).Body.Bytes()) {
		t.Error("v1 and v3 differ")
	}
}

// A fixture has one FI and one event id before and during the match, and its
// markets stay.
func TestPrematchAndLiveJoin(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 2, InPlay: 60, Now: clock.now, Quota: 1 << 20})
	ahead := make(map[string]simItem)
	for range 4 {
		for _, it := range wholeListing(t, sim, "sport_id=1") {
			ahead[it.ID] = it
		}
		clock.at = clock.at.Add(time.Hour)
	}
	joined, events := 0, 0
	page := livePageOf(t, ask(t, sim, askInPlay).Body.Bytes())
	for _, it := range page.Results {
		was, known := ahead[it.FI]
		if !known {
			continue
		}
		joined++
		if was.EventID != nil && *was.EventID == it.ID {
			events++
		} else if was.EventID != nil {
			t.Errorf("fixture %s was event %s and is %s", it.FI, *was.EventID, it.ID)
		}
		if _, ok := sim.Match(sim.Tokens()[0], it.FI); !ok {
			t.Errorf("nobody knows fixture %s", it.FI)
		}
	}
	if joined < len(page.Results)*3/4 || events < joined*3/4 {
		t.Errorf("of %d in play %d were announced, %d with their event", len(page.Results), joined, events)
	}
}

func TestLiveListFilters(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 5, InPlay: 200})
	all := livePageOf(t, ask(t, sim, askInPlay).Body.Bytes()).Results
	leagues, esoccer := make(map[string]int), 0
	for _, it := range all {
		leagues[it.League.ID]++
		if strings.HasPrefix(it.League.Name, "Esoccer") {
			esoccer++
			if it.League.CC != nil {
				t.Errorf("%s is of %s", it.League.Name, *it.League.CC)
			}
		}
	}
	if esoccer == 0 {
		t.Error("no eSoccer in play")
	}
	if skipped := livePageOf(t, ask(t, sim, askInPlay+"&skip_esports=1").Body.Bytes()); skipped.Pager.Total >= len(all) || skipped.Pager.Total <= len(all)-esoccer {
		t.Errorf("skip_esports=1 leaves %d of %d, of which %d say eSoccer: want some of these, not all", skipped.Pager.Total, len(all), esoccer)
	}
	for league, want := range leagues {
		if got := livePageOf(t, ask(t, sim, askInPlay+"&league_id="+league).Body.Bytes()); len(got.Results) != want {
			t.Errorf("league %s: %d, want %d", league, len(got.Results), want)
		}
	}
	if got := livePageOf(t, ask(t, sim, askInPlay+"&page=2").Body.Bytes()); len(got.Results) != 0 || got.Pager.Total != len(all) {
		t.Errorf("page 2 holds %d of %d", len(got.Results), got.Pager.Total)
	}
	for path, code := range map[string]string{
		"/v3/events/inplay?":                         "PARAM_REQUIRED",
		"/v3/events/inplay?sport_id=1&league_id=x":   "PARAM_INVALID",
		"/v1/event/view?":                            "PARAM_REQUIRED",
		askView + "1,2,3,4,5,6,7,8,9,10,11":          "PARAM_INVALID",
		askView + "x":                                "PARAM_INVALID",
		"/v2/events/inplay?sport_id=1":               "NOT_FOUND",
		"/v3/events/inplay?sport_id=1&token=nobodys": "AUTHORIZE_FAILED",
	} {
		if body := ask(t, sim, path).Body.String(); !strings.Contains(body, code) {
			t.Errorf("%s: %s, want %s", path, body, code)
		}
	}
	for path, want := range map[string]string{askView + "1,12345678901": `{"success":1,"results":[]}`,
		"/v3/events/inplay?sport_id=18": `{"success":1,"pager":{"page":1,"per_page":1000,"total":0},"results":[]}`} {
		if body := ask(t, sim, path).Body.String(); body != want {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// Habits of the recorded clock: md is ahead at half-time, the clock runs past 45
// and 90 and falls back at the whistle, ended matches linger.
func TestLiveClockHabits(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 250, Quota: 1 << 20, Now: clock.now})
	seen := make(map[string]int)
	for range 60 {
		for _, it := range livePageOf(t, ask(t, sim, askInPlay).Body.Bytes()).Results {
			c := it.Timer
			if it.TimeStatus == "3" {
				seen["ended and listed"]++
			}
			if c == nil {
				seen["no timer"]++
				continue
			}
			switch {
			case strings.Contains(it.League.Name, "mins play"):
				seen["eSoccer"]++
			case c.TM == 0 && c.TT == "0" && c.MD == 0 && it.SS == nil:
				seen["opened"]++
			case c.TM == 45 && c.TS == 0 && c.TT == "0" && c.MD == 1:
				seen["half-time"]++
			case c.TM > 45 && c.TM < 52 && c.MD == 0 && c.TT == "1":
				seen["added time of the first half"]++
			case c.TM >= 45 && c.TM < 55 && c.MD == 1 && c.TT == "1" && len(it.Scores) == 2 && it.Scores["1"] == it.Scores["2"]:
				seen["second half or a clock that runs on"]++
			case c.TM >= 90 && c.TT == "1" && c.MD == 1 && c.TA > 0:
				seen["added time"]++
			case c.TM == 90 && c.TS == 0 && c.TT == "0" && c.MD == 1:
				seen["full time"]++
			case c.MD == 2 || c.MD == 3:
				seen["extra time"]++
			case c.MD == 4:
				seen["after extra time"]++
			}
		}
		clock.at = clock.at.Add(3*time.Minute + time.Second)
	}
	for _, habit := range []string{"ended and listed", "no timer", "eSoccer", "opened", "half-time", "added time of the first half",
		"second half or a clock that runs on", "added time", "full time", "extra time", "after extra time"} {
		if seen[habit] == 0 {
			t.Errorf("never seen: %s; seen %v", habit, seen)
		}
	}
}

func TestLiveFaults(t *testing.T) {
	for fault, want := range map[string]string{"duplicate:1@live": "twice", "shrink:1@live": "shorter", "429:1@details": "TOO_MANY"} {
		sim := simulated(t, simulator.Options{Seed: 1, InPlay: 50, Faults: faultsOf(t, fault)})
		list, meant := ask(t, sim, askInPlay).Body.Bytes(), len(sim.InPlay(sim.Tokens()[0]))
		switch want {
		case "twice":
			if got := len(livePageOf(t, list).Results); got != meant+1 {
				t.Errorf("%s: %d of %d", fault, got, meant)
			}
		case "shorter":
			if got := len(livePageOf(t, list).Results); got != meant*2/5 {
				t.Errorf("%s: %d of %d", fault, got, meant)
			}
		default:
			if body := ask(t, sim, askView+"1").Body.String(); !strings.Contains(body, want) || len(livePageOf(t, list).Results) != meant {
				t.Errorf("%s: %s", fault, body)
			}
		}
	}
}

// A feed that stands still as a whole gives the same bytes until it moves.
func TestFrozenFeed(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, Now: clock.now, Faults: faultsOf(t, "freeze:0"),
		Frozen: []simulator.Span{{From: 30 * time.Second, To: 150 * time.Second}}})
	at := func(seconds int) string {
		clock.at = simNoon.Add(time.Duration(seconds) * time.Second)
		return ask(t, sim, askInPlay).Body.String()
	}
	first := at(30)
	if at(22) == first || at(149) != first || at(90) != first || at(150) == first {
		t.Error("the feed did not stand still from 30 to 150 seconds")
	}
}

// 300 matches in play, asked for every eight seconds.
func BenchmarkLiveList(b *testing.B) {
	clock := &moving{simNoon}
	sim := simulated(b, simulator.Options{Seed: 1, InPlay: 300, Quota: 1 << 30, Now: clock.now})
	ask(b, sim, askInPlay)
	for b.Loop() {
		clock.at = clock.at.Add(8 * time.Second)
		b.SetBytes(int64(ask(b, sim, askInPlay).Body.Len()))
	}
}

func BenchmarkLiveView(b *testing.B) {
	sim := simulated(b, simulator.Options{Seed: 1, InPlay: 300, Quota: 1 << 30})
	var ids []string
	for _, m := range sim.InPlay(sim.Tokens()[0])[:10] {
		ids = append(ids, m.EventID)
	}
	path := askView + strings.Join(ids, ",")
	for b.Loop() {
		b.SetBytes(int64(ask(b, sim, path).Body.Len()))
	}
}

// Many askers at once make a world's matches together and see the same.
func TestLiveListOfManyAskers(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 60})
	answers := make(chan string, 6)
	for range cap(answers) {
		go func() { answers <- ask(t, sim, askInPlay).Body.String() }()
	}
	first := <-answers
	for range cap(answers) - 1 {
		if <-answers != first {
			t.Error("two askers of one moment got two answers")
		}
	}
}
