package emulator_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
	"mkt/internal/testing/needs"
)

// lineForms are the recorded forms of timeline lines.
var lineForms = map[string]*regexp.Regexp{
	"corner":       regexp.MustCompile(`^(\d+)(\+\d+)?' - (\d+)(?:st|nd|rd|th) Corner - (.+)$`),
	"goal":         regexp.MustCompile(`^(\d+)(\+\d+)?' - (\d+)(?:st|nd|rd|th) Goal - .*  \((.+)\) -(?: (?:Shot|Header|Penalty)(?: \(Assist: .+\))?)?$`),
	"yellow":       regexp.MustCompile(`^(\d+)(\+\d+)?' - (\d+)(?:st|nd|rd|th) Yellow Card - [^(]* \((.+)\)$`),
	"red":          regexp.MustCompile(`^(\d+)(\+\d+)?' -  Red Card -  \((.+)\)$`),
	"substitution": regexp.MustCompile(`^(\d+)(\+\d+)?' - Substitution - .+ for [^(]+ \((.+)\)$`),
	"race":         regexp.MustCompile(`^(\d+)(\+\d+)?' - Race to [3579] Corners - (.+)$`),
	"interval":     regexp.MustCompile(`^\d+[:-]\d+ (Cards|Corners|Goals|Throw Ins|Goal Kicks|Free Kicks) \d0:00 - \d9:59$`),
	"period":       regexp.MustCompile(`^(?:Score After (?:First Half|Full Time) - \d+-\d+|\d+-\d+: First Half score)$`),
}

func formOf(text string) string {
	for form, re := range lineForms {
		if re.MatchString(text) {
			return form
		}
	}
	return ""
}

// viewed asks for matches' views, ten at a time, by event id.
func viewed(t *testing.T, get func(string) []byte, ids []string) map[string]simLiveItem {
	t.Helper()
	all := make(map[string]simLiveItem)
	for batch := range slices.Chunk(ids, 10) {
		for _, it := range livePageOf(t, get(askView+strings.Join(batch, ","))).Results {
			all[it.ID] = it
		}
	}
	return all
}

// Timelines over HTTP: recorded forms alone, ids that grow, every line of an incident
// and no other, lines withdrawn when a goal is disallowed.
func TestLiveTimelines(t *testing.T) {
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 4, InPlay: 40, Quota: 1 << 20, Now: clock.now, Faults: faultsOf(t, "disallowed:1", "freeze:0", "stall:0")})
	get := overHTTP(t, sim)
	var ids []string
	meant := make(map[string]meant.Match)
	for _, m := range sim.InPlay(sim.Tokens()[0]) {
		ids = append(ids, m.EventID)
		meant[m.EventID] = m
	}
	forms, withdrawn := make(map[string]int), 0
	before := make(map[string]map[string]string)
	for range 70 {
		for id, it := range viewed(t, get, ids) {
			lines := make(map[string]string)
			last := int64(0)
			for _, l := range it.Events {
				n, _ := strconv.ParseInt(l.ID, 10, 64)
				if n <= last {
					t.Fatalf("event %s: line %s after %d", id, l.ID, last)
				}
				last = n
				form := formOf(l.Text)
				if form == "" {
					t.Fatalf("event %s: no recorded form: %q", id, l.Text)
				}
				forms[form]++
				lines[l.ID] = l.Text
			}
			for line, text := range before[id] {
				if now, still := lines[line]; !still && formOf(text) != "goal" || still && now != text {
					t.Errorf("event %s: line %q became %q", id, text, now)
				} else if !still {
					withdrawn++
				}
			}
			before[id] = lines
			m := meant[id]
			checkTold(t, &it, &m, clock.at)
		}
		clock.at = clock.at.Add(97 * time.Second)
	}
	for form := range lineForms {
		if forms[form] == 0 {
			t.Errorf("no line of the form %s", form)
		}
	}
	if withdrawn == 0 {
		t.Error("no line was withdrawn")
	}
}

// checkTold compares the counts of lines with the true incidents.
func checkTold(t *testing.T, it *simLiveItem, m *meant.Match, now time.Time) {
	t.Helper()
	if m.WithoutTimeline {
		if it.Events != nil {
			t.Errorf("event %s has a timeline", it.ID)
		}
		return
	}
	s := m.Sent(now)
	at := s.At.Sub(m.Whistle)
	want, got := make(map[string]int), make(map[string]int)
	for _, r := range m.Reported() {
		if r.Appears <= at && (r.Withdrawn == 0 || at < r.Withdrawn) && r.Kind < play.Penalty {
			team := [...]string{m.Fixture.Home.Name, m.Fixture.Away.Name}[r.Side]
			want[fmt.Sprint([...]string{"goal", "corner", "yellow", "red", "substitution"}[r.Kind], " ", team)]++
		}
	}
	for _, l := range it.Events {
		form := formOf(l.Text)
		parts := lineForms[form].FindStringSubmatch(l.Text)
		if form != "race" && form != "interval" && form != "period" {
			got[form+" "+parts[len(parts)-1]]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("event %s: lines %v, want %v", it.ID, got, want)
	}
}

// Every recorded line has one of the forms, or the forms are not the recorded
// ones.
func TestRecordedLinesHaveTheForms(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "providers/betsapi/event-view"), "*.json"))
	if len(files) == 0 {
		t.Fatal("no recordings")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range livePageOf(t, body).Results {
			for _, l := range it.Events {
				if formOf(l.Text) == "" {
					t.Errorf("%s: %q", filepath.Base(file), l.Text)
				}
			}
		}
	}
}

// Fields and statistics of the simulator's records are all known from
// recordings.
func TestLiveFieldsAreRecorded(t *testing.T) {
	dir := needs.Shared(t, "providers/betsapi")
	files, _ := filepath.Glob(filepath.Join(dir, "event*", "*.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "fragments", "minute-series", "*.json"))
	if files = append(files, more...); len(files) == 0 {
		t.Fatal("no recordings")
	}
	known := make(map[string]bool)
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		keysOf(body, known)
	}
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, InPlay: 200, Quota: 1 << 20, Now: clock.now})
	for range 5 {
		var ids []string
		for _, m := range sim.InPlay(sim.Tokens()[0]) {
			ids = append(ids, m.EventID)
		}
		for _, path := range []string{askInPlay, askView + strings.Join(ids[:10], ",")} {
			ours := make(map[string]bool)
			keysOf(ask(t, sim, path).Body.Bytes(), ours)
			for key := range ours {
				if !known[key] {
					t.Errorf("%s: %s is in no recording", path, key)
				}
			}
		}
		clock.at = clock.at.Add(50 * time.Minute)
	}
}

// keysOf gathers the keys of every object in a body.
func keysOf(body []byte, keys map[string]bool) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				keys[key] = true
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	var all any
	if json.Unmarshal(body, &all) == nil {
		walk(all)
	}
}

// Without offsets the pitches are in use since ever; who plays on them next is
// announced, with markets, under the id of the match to come.
func TestRealMatchesAreAnnounced(t *testing.T) {
	dir := needs.Shared(t, "matches")
	clock := &moving{simNoon}
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 10, InPlay: 100, Matches: dir, Quota: 1 << 20, Now: clock.now})
	var before []string
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		before = append(before, f.ID)
	}
	clock.at = simNoon.Add(50 * time.Minute)
	real, joined := 0, 0
	for _, m := range sim.InPlay(sim.Tokens()[0]) {
		if m.RealID() == "" {
			continue
		}
		real++
		if !slices.Contains(before, m.ID) {
			continue
		}
		joined++
		if meant := sim.Meant(sim.Tokens()[0], m.ID); len(meant) > 0 && meant[0].Name == "" {
			t.Errorf("fixture %s has a market without a name", m.ID)
		}
		if body := ask(t, sim, "/v4/bet365/prematch?FI="+m.ID).Body.String(); !strings.Contains(body, `"success":1`) {
			t.Errorf("fixture %s: %.200s", m.ID, body)
		}
	}
	if real < 80 || joined < 30 {
		t.Errorf("%d real matches in play on 100 pitches, %d of them announced before", real, joined)
	}
}
