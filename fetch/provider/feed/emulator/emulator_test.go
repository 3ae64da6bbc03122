package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider/feed/emulator"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
	"mkt/internal/testing/feedtest"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

// server is a running reference server, whose answers are held against the schema.
type server struct {
	*testing.T
	sim    *simulator.Server
	url    string
	schema *feedtest.Schema
	now    time.Time
}

func run(t *testing.T, o simulator.Options) *server {
	t.Helper()
	s := &server{T: t, now: providertest.Noon, schema: feedtest.Open(t, "../../../../docs/feed.schema.json")}
	o.Seed, o.Now = 2, func() time.Time { return s.now }
	var err error
	if s.sim, err = emulator.New(o); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.sim)
	t.Cleanup(h.Close)
	s.url = h.URL + "/feed/v1/"
	return s
}

// get sends a request with the only account's credential.
func (s *server) get(path string) (body []byte, status int, header http.Header) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.sim.Tokens()[0])
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer a.Body.Close()
	if body, err = io.ReadAll(a.Body); err != nil {
		s.Fatal(err)
	}
	return body, a.StatusCode, a.Header
}

// read reads an answer, which must fit its definition and no more than it.
func (s *server) read(path string, into any) {
	s.Helper()
	body, status, header := s.get(path)
	definition, _, _ := strings.Cut(path, "?")
	if status != http.StatusOK || header.Get("Content-Type") != "application/json" {
		s.Fatalf("%s: %d %v %.200s", path, status, header, body)
	}
	if err := s.schema.Check(definition, body); err != nil {
		s.Fatalf("%s: %v\n%.2000s", path, err, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		s.Fatalf("%s: %v", path, err)
	}
}

type fixture struct {
	ID, Home, Away, Status string
	Start                  time.Time `json:"starts_at"`
	League                 *string
}

type list struct {
	Source   string
	Complete bool
	Count    int
	Next     *string
	Fixtures []fixture
}

// list reads all pages.
func (s *server) list() (all []fixture) {
	s.Helper()
	path := "fixtures"
	for {
		var page list
		s.read(path, &page)
		all = append(all, page.Fixtures...)
		if page.Next == nil {
			if page.Count != len(all) || page.Source != "simulated" || !page.Complete {
				s.Errorf("%d fixtures, and the last page is %+v", len(all), page)
			}
			return all
		}
		path = "fixtures?cursor=" + *page.Next
	}
}

// TestFixtures: the list has what is to be played and in play, with the games of consoles,
// in pages of one moment.
func TestFixtures(t *testing.T) {
	s := run(t, simulator.Options{Fixtures: 600})
	all := s.list()
	listed := s.sim.Listed(s.sim.Tokens()[0])
	if len(all) != len(listed) || len(all) < 600 {
		t.Fatalf("%d fixtures, %d meant", len(all), len(listed))
	}
	seen, zones := map[string]int{}, map[int]int{}
	for i, f := range all {
		m := listed[i]
		if f.ID != m.ID || f.Home != m.Home || f.Away != m.Away || !f.Start.Equal(m.KickOff) || (f.Status == "OVER" || f.Status == "OFF") != m.Over || f.League != nil && *f.League != m.League {
			t.Errorf("%+v, meant %+v", f, m)
		}
		if of, ok := s.sim.Match(s.sim.Tokens()[0], f.ID); !ok || of.Fixture.Home.Name != f.Home {
			t.Errorf("%s is the id of %+v, %v", f.ID, of.Fixture, ok)
		}
		_, offset := f.Start.Zone()
		zones[offset]++
		seen[f.Status]++
		if f.League == nil {
			seen["no league"]++
		}
		if !m.Human {
			seen["eSoccer"]++
			if f.League == nil {
				t.Errorf("%+v cannot be recognized", f)
			}
		}
	}
	for _, what := range []string{"NOT_STARTED", "IN_PLAY", "OVER", "OFF", "no league", "eSoccer"} {
		if seen[what] == 0 {
			t.Errorf("none is %s: %v", what, seen)
		}
	}
	if len(zones) < 3 {
		t.Errorf("zones %v", zones)
	}

	var first list
	s.read("fixtures", &first)
	second, _, _ := s.get("fixtures?cursor=" + *first.Next)
	s.now = s.now.Add(20 * time.Minute)
	if later, status, _ := s.get("fixtures?cursor=" + *first.Next); !bytes.Equal(second, later) || status != http.StatusOK {
		t.Errorf("a page is of another list than the page before it: %d %.300s, want %.300s", status, later, second)
	}
	for _, cursor := range []string{"x", "0.1772625600", "2.99999999999", "1"} {
		if body, status, _ := s.get("fixtures?cursor=" + cursor); status != http.StatusNotFound {
			t.Errorf("cursor %s: %d %s", cursor, status, body)
		}
	}
}

type claim struct{ Market, Period, Selection, Line, Subject string }

type priced struct {
	Fixtures []struct {
		ID        string
		Retrieved time.Time `json:"retrieved_at"`
		Markets   []struct {
			ID, Name   string
			Suspended  bool
			Claim      *claim
			Selections []struct {
				ID     *string
				Labels map[string]string
				Odds   struct{ Decimal *string }

				Suspended bool
				Claim     *claim
			}
		}
	}
	Missing []string
}

// TestMarkets: every market that the world sells is there, in the schema's form, and claims a market
// of the vocabulary, or nothing.
func TestMarkets(t *testing.T) {
	s := run(t, simulator.Options{Fixtures: 60})
	var ids []string
	for _, f := range s.list() {
		if f.Status == "NOT_STARTED" {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) < 55 {
		t.Fatalf("%d fixtures", len(ids))
	}
	token, seen, offers := s.sim.Tokens()[0], map[string]int{}, map[string]bool{}
	for part := range slices.Chunk(append(ids, "999", "no-such"), 25) {
		var p priced
		s.read("markets?fixtures="+strings.Join(part, ","), &p)
		if len(p.Fixtures)+len(p.Missing) != len(part) {
			t.Errorf("%d fixtures and %d missing of %d", len(p.Fixtures), len(p.Missing), len(part))
		}
		for _, id := range p.Missing {
			seen["missing"]++
			if s.sim.Meant(token, id) != nil {
				t.Errorf("%s is missing", id)
			}
		}
		for _, f := range p.Fixtures {
			known := s.sim.Meant(token, f.ID)
			if len(known) != len(f.Markets) || f.Retrieved.After(s.now) || f.Retrieved.Before(s.now.Add(-time.Minute)) {
				t.Fatalf("%s: %d markets, %d meant, retrieved %v", f.ID, len(f.Markets), len(known), f.Retrieved)
			}
			for i, m := range f.Markets {
				k := known[i]
				offers[m.ID] = true
				if m.ID != k.ID || m.Name != k.Name || len(m.Selections) != len(k.Rows) || (m.Claim == nil) != (k.Proof == meant.MustBeRaw) {
					t.Fatalf("%s: %s is %+v", f.ID, m.ID, k)
				}
				if m.Claim != nil {
					if term, ok := football.Lookup(m.Claim.Market); !ok || !term.AllowsPeriod(m.Claim.Period) {
						t.Errorf("%s: no such market: %+v", m.ID, m.Claim)
					}
				}
				seen[fmt.Sprint("market suspended ", m.Suspended)]++
				seen[fmt.Sprint("market claimed ", m.Claim != nil)]++
				for j, sel := range m.Selections {
					row := k.Rows[j]
					seen[fmt.Sprint("selection suspended ", sel.Suspended)]++
					seen[fmt.Sprint("price ", sel.Odds.Decimal != nil)]++
					if text := sel.Odds.Decimal; (text == nil) != (row.Decimal == "") || text != nil && *text != row.Decimal || row.Stopped != (m.Suspended || sel.Suspended) {
						t.Errorf("%s: %+v, meant %+v", m.ID, sel, row)
					}
					if c := sel.Claim; c != nil {
						said := claim{m.Claim.Market, m.Claim.Period, c.Selection, c.Line, m.Claim.Subject + c.Subject}
						if want := claimed(row); said != want {
							t.Errorf("%s: claims %+v, meant %+v", m.ID, said, want)
						}
					} else if m.Claim != nil && row.Selection != bookmaker.AnyOtherPlayer {
						t.Errorf("%s: %+v claims nothing", m.ID, sel)
					}
				}
			}
		}
	}
	for of := range bookmaker.Offers() {
		for _, r := range of.Refs() {
			id := strings.ToLower(strings.Join(strings.Fields(fmt.Sprint(r.Market, " ", r.Period, " ", r.Side, " ", r.Parameter, " ", r.Book)), "-"))
			if !offers[id] {
				t.Errorf("%s is never offered", id)
			}
		}
	}
	for _, what := range []string{"missing", "market suspended true", "market suspended false", "market claimed true", "market claimed false", "selection suspended true", "selection suspended false", "price true", "price false"} {
		if seen[what] < 3 {
			t.Errorf("%s: only %d: %v", what, seen[what], seen)
		}
	}
	tooMany := strings.Repeat("1,", 50) + "1"
	for _, query := range []string{"", "?fixtures=", "?fixtures=1,,2", "?fixtures=" + tooMany} {
		if body, status, _ := s.get("markets" + query); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}

// claimed is the meaning of a row as a claim says it.
func claimed(r meant.Row) claim {
	c := claim{r.Market, r.Period, r.Selection, r.Line + r.Qualifier, r.Subject}
	player, outcome, both := strings.Cut(r.Selection, "&")
	switch {
	case r.Subject == "":
		c.Subject = r.Side
	case r.Selection == r.Subject:
		c.Selection = "YES"
	case both && player == r.Subject:
		c.Selection = outcome
	}
	return c
}

// TestLabels: people can read the labels, which have no word of the vocabulary.
func TestLabels(t *testing.T) {
	s := run(t, simulator.Options{Fixtures: 40})
	canonical := regexp.MustCompile(`[A-Z]{2}|[A-Z0-9]X|X[0-9]|_|[&/]\S`)
	for _, f := range s.list() {
		if f.Status != "NOT_STARTED" {
			continue
		}
		named := strings.NewReplacer(f.Home, "…", f.Away, "…")
		var p priced
		s.read("markets?fixtures="+f.ID, &p)
		for _, x := range p.Fixtures {
			for _, m := range x.Markets {
				if canonical.MatchString(named.Replace(m.Name)) {
					t.Errorf("market %s is %q", m.ID, m.Name)
				}
				for _, sel := range m.Selections {
					if name := sel.Labels["name"]; name == "" || canonical.MatchString(named.Replace(name)) || sel.Claim != nil && sel.Claim.Selection == "HOME" && name != f.Home {
						t.Errorf("%s of %s - %s: %v claims %+v", m.ID, f.Home, f.Away, sel.Labels, sel.Claim)
					}
				}
			}
		}
	}
}

type match struct {
	fixture
	Observed time.Time `json:"observed_at"`
	Clock    *struct {
		Half, Minute, Second, Added int
		Running, Shootout           bool
	}
	Score    *struct{ Home, Away int }
	Counters map[string]map[string]*int
	Events   []struct {
		ID, Kind, Side string
		Minute, Added  int
	}
}

// TestLive: over some hours every answer about matches in play fits the schema and says what the
// world's feed reports.
func TestLive(t *testing.T) {
	s := run(t, simulator.Options{Fixtures: 40, InPlay: 40, Quota: 1 << 20, Faults: []simulator.Fault{{Kind: simulator.Retracted, Rate: 0.5}, {Kind: simulator.Void, Rate: 0.5}, {Kind: simulator.Vanish, Rate: 0.5}}})
	names := map[string]play.Metric{"attacks": play.Attacks, "dangerous_attacks": play.DangerousAttacks, "on_target": play.OnTarget, "off_target": play.OffTarget,
		"shots_blocked": play.Blocked, "corners": play.Corners, "yellow_cards": play.YellowCards, "red_cards": play.RedCards, "throw_ins": play.ThrowIns, "second_yellow_cards": play.SecondYellows}
	seen, taken, withdrawn := map[string]int{}, map[string]string{}, 0
	for end := s.now.Add(4 * time.Hour); s.now.Before(end); s.now = s.now.Add(151 * time.Second) {
		var a struct {
			Count   int
			Matches []match
		}
		s.read("live", &a)
		known := s.sim.InPlay(s.sim.Tokens()[0])
		if a.Count != len(a.Matches) || a.Count != len(known) {
			t.Fatalf("%d matches, count %d, %d in play", len(a.Matches), a.Count, len(known))
		}
		for i, x := range a.Matches {
			m, sent := known[i], known[i].Sent(s.now)
			if x.ID != m.ID || x.Observed != sent.At || (x.Clock != nil) != sent.Begun || (x.Score != nil) != sent.Begun {
				t.Fatalf("%+v, meant %+v", x, sent)
			}
			seen[x.Status]++
			if !sent.Begun {
				continue
			}
			seen[fmt.Sprint("half ", x.Clock.Half)]++
			if x.Status == "OVER" != (sent.Status == competition.Ended) || x.Score.Home != sent.Score[0] || x.Score.Away != sent.Score[1] ||
				x.Clock.Running != sent.Clock.Running || time.Duration(x.Clock.Minute*60+x.Clock.Second)*time.Second != sent.Clock.Shown || x.Clock.Shootout != (x.Clock.Half == 5) {
				t.Errorf("%+v %+v, meant %+v", x.Clock, x.Score, sent)
			}
			for name, metric := range names {
				sides, ok := x.Counters[name]
				if _, state := sent.Value(metric, play.Home); ok != (state != 0) {
					t.Errorf("%s is there: %v", name, ok)
				}
				for side, of := range []string{"home", "away"} {
					if n, _ := sent.Value(metric, play.Side(side)); sides[of] != nil && *sides[of] != n {
						t.Errorf("%s of %s is %d, meant %d", name, of, *sides[of], n)
					} else if ok && sides[of] == nil {
						seen["null"]++
					}
				}
			}
			goals, events := 0, map[string]bool{}
			for _, e := range x.Events {
				id := x.ID + " " + e.ID
				text := fmt.Sprint(e.Kind, e.Side, e.Minute, "+", e.Added)
				if was, ok := taken[id]; events[id] || ok && was != text {
					t.Errorf("event %s was %s, and is %s", id, was, text)
				}
				events[id], taken[id] = true, text
				seen[e.Kind]++
				if e.Kind == "GOAL" {
					goals++
				}
			}
			for id := range taken {
				if of, _, _ := strings.Cut(id, " "); of == x.ID && !events[id] {
					withdrawn++
				}
			}
			if sent.Status == competition.Ended && goals != sent.Score[0]+sent.Score[1] {
				t.Errorf("%s ended %v with %d goals", x.ID, sent.Score, goals)
			}
		}
	}
	for _, what := range []string{"NOT_STARTED", "IN_PLAY", "OVER", "half 1", "half 2", "half 3", "half 4", "GOAL", "CORNER", "YELLOW_CARD", "RED_CARD", "PENALTY", "SUBSTITUTION", "null"} {
		if seen[what] == 0 {
			t.Errorf("no %s: %v", what, seen)
		}
	}
	if withdrawn == 0 {
		t.Error("no event was withdrawn")
	}
}

// TestRefusals: the statuses are those that the contract has.
func TestRefusals(t *testing.T) {
	s := run(t, simulator.Options{Fixtures: 20, Quota: 3, Tokens: map[string]simulator.Account{"good": {}, "small": {Denied: true}}})
	ask := func(method, path, authorization string) (int, string) {
		r := httptest.NewRequest(method, "/feed/v1/"+path, nil)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		s.sim.ServeHTTP(w, r)
		return w.Code, w.Header().Get("X-RateLimit-Remaining")
	}
	for _, c := range []struct {
		method, path, authorization string
		status                      int
		left                        string
	}{
		{"GET", "fixtures", "", 401, ""}, {"GET", "fixtures", "good", 401, ""}, {"GET", "fixtures", "Bearer bad", 401, ""}, {"GET", "fixtures", "Bearer small", 403, "2"},
		{"POST", "fixtures", "Bearer good", 405, ""}, {"GET", "fixture", "Bearer good", 404, ""}, {"GET", "", "Bearer good", 404, ""},
		{"GET", "fixtures", "Bearer good", 200, "2"}, {"GET", "markets?fixtures=1", "Bearer good", 200, "1"}, {"GET", "live", "Bearer good", 200, "0"}, {"GET", "live", "Bearer good", 429, "0"},
	} {
		if status, left := ask(c.method, c.path, c.authorization); status != c.status || left != c.left {
			t.Errorf("%+v: %d with %q left", c, status, left)
		}
	}
	if _, err := emulator.New(simulator.Options{Replay: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no recorded payloads") {
		t.Errorf("replay: %v", err)
	}
}
