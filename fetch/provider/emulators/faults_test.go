package emulators_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/provider/feed"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

// questions are requests of each provider by class. They are about the list at
// providertest.Noon, of the world of seed 7.
var questions = map[string]map[simulator.Class]string{
	"betsapi": {simulator.Listing: "/v1/bet365/upcoming?sport_id=1", simulator.Markets: "/v4/bet365/prematch?FI=%s", simulator.Playing: "/v3/events/inplay?sport_id=1"},
	"sportmonks": {simulator.Listing: "/v3/football/fixtures/between/2026-03-04/2026-03-18?page=3&per_page=50", simulator.Playing: "/v3/football/livescores/inplay?include=participants;league;scores;periods;statistics;events",
		simulator.Markets: "/v3/football/fixtures/multi/%s?include=odds:id,fixture_id,market_id,bookmaker_id,label,value,name,market_description,dp3,stopped,total,handicap&filters=bookmakers:2"},
	"apifootball": {simulator.Listing: "/fixtures?date=2026-03-05", simulator.Markets: "/odds?date=2026-03-05&bookmaker=8", simulator.Playing: "/fixtures?live=all"},
	"theoddsapi":  {simulator.Listing: "/v4/sports/%s/events", simulator.Markets: "/v4/sports/%s/odds?regions=eu&markets=h2h"},
	feedName:      {simulator.Listing: "/feed/v1/fixtures", simulator.Markets: "/feed/v1/markets?fixtures=%s", simulator.Playing: "/feed/v1/live"},
}

const feedName = feed.Prefix + feed.Simulated

// busy is the competition of The Odds API that the questions are about.
const busy = "soccer_england_northern_premier"

func ask(t *testing.T, sim *simulator.Server, path string) *httptest.ResponseRecorder {
	t.Helper()
	token := sim.Tokens()[0]
	path = strings.ReplaceAll(path, ";", "%3B")
	between := "?"
	if strings.Contains(path, "?") {
		between = "&"
	}
	r := httptest.NewRequest(http.MethodGet, path+between+"token="+token+"&apiKey="+token, nil)
	if strings.HasPrefix(path, "/fixtures") || strings.HasPrefix(path, "/odds") {
		r = httptest.NewRequest(http.MethodGet, path, nil)
	}
	r.Header.Set("x-apisports-key", token)
	r.Header.Set("Authorization", token)
	if strings.HasPrefix(path, "/feed/") {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w
}

// kinds are the verdicts of an adapter on the faults. It may refuse a wrong answer in two ways.
var kinds = map[simulator.FaultKind]provider.Kind{simulator.Limited: provider.Limited, simulator.LimitedBare: provider.Limited,
	simulator.ServerError: provider.Retryable, simulator.Unavailable: provider.Retryable, simulator.HTML: provider.Retryable,
	simulator.Empty: provider.Retryable, simulator.BadCredential: provider.CredentialFault, simulator.BadPermission: provider.PermissionFault,
	simulator.Duplicate: provider.Accepted, simulator.Shrink: provider.Accepted}

// TestEveryFaultShows: each fault of a request changes each provider's answer, and its
// adapter recognizes it, or the fault is refused when the emulator is made.
func TestEveryFaultShows(t *testing.T) {
	ofTheNetwork := []simulator.FaultKind{simulator.Timeout, simulator.Slow, simulator.Reset, simulator.Huge, simulator.Bomb, simulator.Truncated}
	noon := func() time.Time { return providertest.Noon }
	for _, name := range emulators.Names() {
		clean, err := emulators.New(name, simulator.Options{Seed: 7, Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := all.Lookup(name)
		about := busy
		for _, f := range clean.Listed(clean.Tokens()[0]) {
			if f.Human && !f.Over && f.KickOff.After(providertest.Noon.Add(time.Hour)) && name != "theoddsapi" && len(clean.Meant(clean.Tokens()[0], f.ID)) > 0 {
				about = f.ID
				break
			}
		}
		for class, path := range questions[name] {
			path = strings.ReplaceAll(path, "%s", about)
			want := ask(t, clean, path)
			if want.Code != http.StatusOK || want.Body.Len() < 500 {
				t.Fatalf("%s %s: %d %.300s", name, path, want.Code, want.Body)
			}
			for _, kind := range simulator.FaultKinds() {
				if kind.OnMatches() || slices.Contains(ofTheNetwork, kind) {
					continue
				}
				sim, err := emulators.New(name, simulator.Options{Seed: 7, Now: noon, Faults: []simulator.Fault{{Kind: kind, Rate: 1, Class: class}}})
				if err != nil {
					t.Fatal(err)
				}
				got := ask(t, sim, path)
				for range 12 { // in as many ways as there are
					if got.Code == want.Code && bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) {
						t.Errorf("%s: %s does not change the answer about %s", name, kind, class)
					}
					if kind != simulator.Wrong {
						break
					}
					got = ask(t, sim, path)
				}
				v := p.Classify(got.Code, got.Header(), got.Body.Bytes())
				if is, ok := kinds[kind]; ok && v.Kind != is {
					t.Errorf("%s: %s of %s is taken for %+v", name, kind, class, v)
				}
			}
		}
	}
}

// TestFaultsThatDoNotSuit are refused by name.
func TestFaultsThatDoNotSuit(t *testing.T) {
	for _, c := range []struct{ provider, fault, want string }{
		{"theoddsapi", "stall:1", "does not list them"},
		{"theoddsapi", "500:1@live", "has no requests of the class live; it has listing, markets"},
		{"theoddsapi", "500:1@details", "has no requests of the class details"},
		{"feed", "500:1@details", "has no requests of the class details; it has listing, markets, live"}, {"feed", "null:1", ""},
		{"sportmonks", "500:1@details", "has no requests of the class details; it has listing, markets, live"},
		{"sportmonks", "null:1", ""}, {"apifootball", "vanish:1", ""}, {"betsapi", "500:1@details", ""}, {"apifootball", "500:1@details", ""},
	} {
		fault, err := simulator.ParseFault(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		_, err = emulators.New(c.provider, simulator.Options{Faults: []simulator.Fault{fault}})
		if text := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %v, want %q", c.provider, c.fault, err, c.want)
		}
	}
	if _, err := emulators.New("theoddsapi", simulator.Options{Matches: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "real matches") {
		t.Errorf("real matches: %v", err)
	}
}

// header is a header as the provider spells it.
func header(w *httptest.ResponseRecorder, name string) string {
	for key, values := range w.Header() {
		if strings.EqualFold(key, name) {
			return values[0]
		}
	}
	return ""
}

// TestLimits: a limit on the pace and a used up quota are two things, where the
// provider has both. A quota that has ended stays so until its window ends.
func TestLimits(t *testing.T) {
	now := providertest.Noon
	for _, c := range []struct{ provider, pace, quota, left string }{
		{"betsapi", "429 TOO_MANY_REQUESTS", "429 TOO_MANY_REQUESTS", "X-RateLimit-Remaining"},
		{feedName, "429 Too Many Requests", "429 Too Many Requests", "X-RateLimit-Remaining"},
		{"sportmonks", `429 "remaining":0,`, `429 "remaining":0,`, ""},
		{"apifootball", `200 "rateLimit":`, `200 "requests":`, "x-ratelimit-requests-remaining"},
		{"theoddsapi", "429 EXCEEDED_FREQ_LIMIT", "401 OUT_OF_USAGE_CREDITS", "x-requests-remaining"},
	} {
		path := strings.ReplaceAll(questions[c.provider][simulator.Listing], "%s", busy)
		for fault, want := range map[string]string{"429:#1": c.pace, "quota:#1": c.quota} {
			f, err := simulator.ParseFault(fault)
			if err != nil {
				t.Fatal(err)
			}
			sim, err := emulators.New(c.provider, simulator.Options{Seed: 7, Now: func() time.Time { return now }, Faults: []simulator.Fault{f}})
			if err != nil {
				t.Fatal(err)
			}
			w := ask(t, sim, path)
			status, text, _ := strings.Cut(want, " ")
			if fmt.Sprint(w.Code) != status || !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s %s: %d %.300s, want %s", c.provider, fault, w.Code, w.Body, want)
			}
			isZero := header(w, c.left) == "0"
			if one := c.provider == "betsapi" || c.provider == feedName; c.left != "" && isZero != (one || fault == "quota:#1") {
				t.Errorf("%s %s: %s is %q", c.provider, fault, c.left, header(w, c.left))
			}
			path := strings.ReplaceAll(questions[c.provider][simulator.Markets], "%s", busy)
			again := ask(t, sim, path)
			if used := strings.Contains(again.Body.String(), text); used != (fault == "quota:#1") {
				t.Errorf("%s %s: then %d %.200s", c.provider, fault, again.Code, again.Body)
			}
			now = now.Add(time.Hour)
			if again = ask(t, sim, path); strings.Contains(again.Body.String(), text) {
				t.Errorf("%s %s: an hour later %d %.200s", c.provider, fault, again.Code, again.Body)
			}
			now = providertest.Noon
		}
	}
}
