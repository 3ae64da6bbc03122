package feedcheck

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/docs"
	"mkt/internal/testing/check"
)

var update = flag.Bool("update", false, "rewrite testdata/faults.txt")

// received is when the answers of the tests were received.
var received = time.Date(2026, 12, 5, 17, 23, 30, 0, time.UTC)

// good are answers without a fault: those of the schema, of one page more.
func good(t testing.TB) map[string]string {
	t.Helper()
	text, err := docs.Files.ReadFile("feed.schema.json")
	check.Must(t, err)
	var schema struct {
		Defs map[string]struct{ Examples []json.RawMessage } `json:"$defs"`
	}
	check.Must(t, json.Unmarshal(text, &schema))
	answers := map[string]string{}
	for _, name := range []string{"fixtures", "markets", "live"} {
		answers[name] = string(schema.Defs[name].Examples[0])
	}
	return answers
}

// request is one request, and what is other in its answer.
type request struct {
	endpoint, query string
	edits           []string // old, new
}

func answersOf(t *testing.T, requests []request) (list []*answer) {
	bodies := good(t)
	for _, r := range requests {
		body := bodies[r.endpoint]
		for i := 0; i+1 < len(r.edits); i += 2 {
			old, text := r.edits[i], r.edits[i+1]
			if old == "" { // another answer
				body = text
			} else if !strings.Contains(body, old) {
				t.Fatalf("the answer of %s has no %s", r.endpoint, old)
			} else {
				body = strings.ReplaceAll(body, old, text)
			}
		}
		query, err := url.ParseQuery(r.query)
		check.Must(t, err)
		list = append(list, &answer{name: strings.TrimSuffix("GET /feed/v1/"+r.endpoint+"?"+r.query, "?"), endpoint: r.endpoint, query: query, at: received, status: 200, body: []byte(body)})
	}
	return list
}

// TestFaults: each fault that an author makes is a clear sentence in testdata/faults.txt.
func TestFaults(t *testing.T) {
	const pages = `{"source":"acme-odds","complete":true,"count":2,"next":%s,"fixtures":[{"id":"%s","home":"Arsenal","away":"Leicester","status":"NOT_STARTED"}]}`
	page := func(next, id string) []string { return []string{"", fmt.Sprintf(pages, next, id)} }
	fixtures, markets, live := request{endpoint: "fixtures"}, request{endpoint: "markets", query: "fixtures=1001,1003"}, request{endpoint: "live"}
	with := func(r request, edits ...string) request { r.edits = edits; return r }
	at := func(r request, query string) request { r.query = query; return r }
	const dated = `","home":"Arsenal","away":"Leicester","starts_at":"2026-12-06T15:00:00Z"`
	twice1, twice2 := request{endpoint: "fixtures", edits: append(page(`"2"`, "1001"), `1001","home":"Arsenal","away":"Leicester"`, `1001`+dated)}, request{endpoint: "fixtures", query: "cursor=2", edits: append(page("null", "1002"), `1002","home":"Arsenal","away":"Leicester"`, `1002`+dated)}
	tests := []struct {
		name     string
		requests []request
	}{
		{"no fault", []request{fixtures, markets, fixtures, markets, live}},
		{"no fault: a match twice under two ids, on two pages", []request{twice1, twice2, twice1, twice2}},

		// The ten.
		{"numbers as floats", []request{with(markets, `"1.95"`, `1.95`, `"3.60"`, `3.6`)}},
		{"local times", []request{with(fixtures, `"2026-12-05T15:00:00Z"`, `"2026-12-05T16:00:00"`), with(markets, `"2026-12-05T12:00:00Z"`, `"2026-12-05 13:00:00"`)}},
		{"local time with a Z", []request{with(markets, `"2026-12-05T12:00:00Z"`, `"2026-12-05T18:23:00Z"`), with(live, `"2026-12-05T17:00:00Z"`, `"2026-12-05T18:00:00Z"`)}},
		{"ids that change", []request{fixtures, with(fixtures, `"1001"`, `"2001"`)}},
		{"ids that are others in play", []request{with(fixtures, `"2026-12-05T18:00:00+01:00"`, `"2026-12-05T17:00:00Z"`, "IN_PLAY", "NOT_STARTED"), with(live, `"1002"`, `"7"`)}},
		{"ids of markets that change", []request{markets, with(markets, `"m1"`, `"m17"`)}},
		{"half a listing marked complete", []request{with(fixtures, `"count": 3`, `"count": 6`)}},
		{"half a listing marked complete, with its own count", []request{fixtures, {endpoint: "fixtures", edits: page("null", "1001")}}},
		// "both sides' handicap lines" needs the engine: TestStaysRaw
		{"American odds", []request{with(markets, `"1.95"`, `"+150"`, `"1.93"`, `"-110"`)}},
		{"American odds as numbers", []request{with(markets, `"1.95"`, `150`, `"1.93"`, `-110`)}},
		{"American odds without signs", []request{with(markets, `"1.95"`, `"195"`, `"3.60"`, `"360"`, `"1.93"`, `"193"`, `"1.80"`, `"180"`, `"2.00"`, `"200"`)}},
		{"one market twice", []request{with(markets, `"m4", "name": "Special of the day"`, `"m9", "name": "Home Goals", "claim": {"market": "TEAM_TOTAL_GOALS", "period": "FT", "subject": "HOME"}`,
			`{ "name": "A dog on the pitch" }`, `{"name": "Over"}, "claim": {"selection": "OVER", "line": "1.5"}`)}},
		{"names as numbers", []request{with(fixtures, `"Arsenal"`, `17`), with(markets, `"Match Result"`, `1`)}},
		{"a 404 as {}", []request{fixtures, with(markets, "", "{}")}},
		{"paging that loops", []request{with(fixtures, "", fmt.Sprintf(pages, `"2"`, "1001")), {endpoint: "fixtures", query: "cursor=2", edits: page(`"3"`, "1002")}, {endpoint: "fixtures", query: "cursor=3", edits: page(`"2"`, "1003")}}},

		// Others.
		{"not JSON", []request{with(fixtures, "", "<html>")}},
		{"none of the answers", []request{{edits: []string{"", `{"events":[]}`}}}},
		{"ids as numbers", []request{with(fixtures, `"1001"`, `1001`), with(markets, `"1003"`, `1003`, `"s1"`, `5`, `"m4"`, "4")}},
		{"ids that are names", []request{with(fixtures, `"1001"`, `"Arsenal v Leicester"`)}},
		{"lines as numbers", []request{with(markets, `"line": "-0.5"`, `"line": -0.5`, `"handicap": "-0.5"`, `"handicap": -0.5`)}},
		{"times as numbers", []request{with(markets, `"2026-12-05T12:00:00Z"`, `1764936000`)}},
		{"a time that is none", []request{with(fixtures, `"2026-12-05T15:00:00Z"`, `"2026-13-05T15:00:00Z"`)}},
		{"a decimal comma", []request{with(markets, `"1.95"`, `"1,95"`)}},
		{"a word of the source", []request{with(fixtures, `"OFF"`, `"POSTPONED"`)}},
		{"a missing member", []request{with(markets, `"suspended": false, "claim"`, `"claim"`, `"name": "Match Result", `, ``), with(fixtures, `"next": null,`, ``)}},
		{"an unknown member", []request{with(fixtures, `"league"`, `"competition"`)}},
		{"names of labels", []request{with(markets, `"handicap"`, `"1st handicap"`)}},
		{"a claim in the wrong place", []request{with(markets, `"claim": { "selection": "HOME" }`, `"claim": { "market": "MATCH_RESULT", "selection": "HOME" }`)}},
		{"a claim of another vocabulary", []request{with(markets, `"MATCH_RESULT"`, `"MONEYLINE"`)}},
		{"anything else", []request{with(live, `"minute": 23`, `"minute": 230`, `"running": true`, `"running": "yes"`)}},
		{"an event before the match", []request{with(live, `"minute": 12`, `"minute": 0`)}},
		{"a counter of another name", []request{with(live, `"dangerous_attacks"`, `"dangerous_atacks"`)}},
		{"no market", []request{with(markets, "", `{"source":"acme-odds","missing":["1003"],"fixtures":[{"id":"1001","retrieved_at":"2026-12-05T12:00:00Z","markets":[]}]}`)}},
		{"another source", []request{fixtures, with(markets, "acme-odds", "acme")}},
		{"an id twice", []request{with(fixtures, `"1003"`, `"1002"`)}},
		{"an id of a market twice", []request{with(markets, `"m2"`, `"m1"`)}},
		{"pages that differ", []request{{endpoint: "fixtures", edits: page(`"2"`, "1001")}, {endpoint: "fixtures", query: "cursor=2", edits: append(page("null", "1002"), `"count":2`, `"count":1`)}}},
		{"a fixture without an answer", []request{at(markets, "fixtures=1001,1003,1004")}},
		{"retrieved_at is the time of the answer", []request{markets, with(markets, "12:00:00Z", "12:00:02Z")}},
	}
	var text strings.Builder
	for _, test := range tests {
		fmt.Fprintf(&text, "== %s\n", test.name)
		c, err := newChecker()
		check.Must(t, err)
		c.check(answersOf(t, test.requests), "acme-odds")
		found := c.findings
		if (len(found) == 0) != strings.HasPrefix(test.name, "no fault") {
			t.Errorf("%s: %d findings", test.name, len(found))
		}
		for _, f := range found {
			fmt.Fprintf(&text, "%s %s %s %s (%d)\n\t%s\n\tfix: %s\n", f.Level, f.Code, f.Answer, f.Path, f.Places, f.What, f.Fix)
		}
	}
	golden(t, "testdata/faults.txt", text.String())
	known, err := newChecker()
	check.Must(t, err)
	for code := range known.faults {
		isOfFeed := slices.Contains([]string{"STATUS", "REJECTED", "NOT_FETCHED", "NOT_DERIVED", "TAG_TWICE"}, code)
		isDerived := strings.HasPrefix(code, "CLAIM_") || code == "HANDICAP_SIDE" || code == "SUSPICIOUS" // TestStaysRaw
		if !isOfFeed && !isDerived && !strings.Contains(text.String(), " "+code+" ") {
			t.Errorf("no test has the fault %s", code)
		}
	}
}

// FuzzCheck: whatever is answered, each finding is in words.
func FuzzCheck(f *testing.F) {
	for name, body := range good(f) {
		f.Add(name, []byte(body))
		f.Add(name, []byte(strings.NewReplacer(`"1.95"`, "1.95", `"handicap"`, `"1st handicap"`, `"league"`, `"competition"`, "2026", "x").Replace(body)))
	}
	schema, err := newChecker()
	check.Must(f, err)
	f.Fuzz(func(t *testing.T, endpoint string, body []byte) {
		c := &checker{faults: schema.faults, codes: schema.codes, compiler: schema.compiler, at: map[string]int{}, places: map[string]bool{},
			ids: map[string]identified{}, tagged: map[string]string{}, prices: map[string]priced{}, handicaps: map[string]bool{}}
		var answers []*answer
		for range 2 {
			answers = append(answers, &answer{name: "answer", endpoint: endpoint, query: url.Values{"fixtures": {"1001"}}, at: received, status: 200, body: body})
		}
		c.check(answers, "acme-odds")
		for _, f := range c.findings {
			if f.What == "" || f.Fix == "" || f.Places < 1 || strings.Contains(f.What+f.Fix, "{1}") && !bytes.Contains(body, []byte("{1}")) {
				t.Errorf("%+v", f)
			}
		}
	})
}
