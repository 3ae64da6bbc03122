package feedcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mkt/fetch/provider"
	"mkt/internal/testing/check"
)

const secret = "secret-of-the-author"

// serve is a feed of the good answers, at a path. A request that answer answers is not answered well.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, good string) bool) string {
	t.Helper()
	bodies := good(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bodies[strings.TrimPrefix(r.URL.Path, "/odds/feed/v1/")]
		switch {
		case r.Header.Get("Authorization") != "Bearer "+secret:
			w.WriteHeader(http.StatusUnauthorized)
		case body == "":
			w.WriteHeader(http.StatusNotFound)
		case answer == nil || !answer(w, r, body):
			io.WriteString(w, body)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/odds"
}

func runOn(t *testing.T, o Options) (Report, error) {
	t.Helper()
	o.Scratch, o.Now = t.TempDir(), func() time.Time { return received }
	if o.Credential == nil {
		o.Credential = []byte(secret + "\n")
	}
	return Run(context.Background(), o)
}

// TestFeed: a good feed has no fault, whether its source is given or not.
func TestFeed(t *testing.T) {
	for _, source := range []string{"", "acme-odds"} {
		r, err := runOn(t, Options{URL: serve(t, nil), Source: source})
		check.Must(t, err)
		if r.Source != "acme-odds" || len(r.Findings) > 0 || r.Answers != 5 {
			t.Errorf("the source %q: %d answers of %s, with %v", source, r.Answers, r.Source, r.Findings)
		}
		if r.Prices == nil || r.Prices.Total.Markets != 4 || r.Prices.Total.Mapped != 3 || r.InPlay != 1 {
			t.Errorf("would be published: %+v, and %d in play", r.Prices, r.InPlay)
		}
	}
}

// TestFeeds: what a server does wrong is said in words.
func TestFeeds(t *testing.T) {
	at := func(path string, answer func(w http.ResponseWriter, r *http.Request, good string)) func(http.ResponseWriter, *http.Request, string) bool {
		return func(w http.ResponseWriter, r *http.Request, good string) bool {
			if !strings.HasSuffix(r.URL.Path, path) {
				return false
			}
			answer(w, r, good)
			return true
		}
	}
	status := func(code int) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(code) }
	}
	body := func(text string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, _ string) { io.WriteString(w, text) }
	}
	replaced := func(old, text string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, good string) {
			io.WriteString(w, strings.ReplaceAll(good, old, text))
		}
	}
	requests := 0
	changing := func(w http.ResponseWriter, r *http.Request, good string) {
		requests++
		w.Header().Set("ETag", `"v1"`)
		io.WriteString(w, strings.ReplaceAll(good, `"1001"`, fmt.Sprintf(`"%d"`, 7000+requests)))
	}
	broken := func(w http.ResponseWriter, _ *http.Request, _ string) {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			c.Close()
		}
	}
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, string) bool
		source string
	}{
		{"a list that is {}", at("/fixtures", body("{}")), "acme-odds"},
		{"a list that is {}, of an unknown source", at("/fixtures", body("{}")), ""},
		{"prices that are {}", at("/markets", body("{}")), "acme-odds"},
		{"matches that are {}", at("/live", body("{}")), "acme-odds"},
		{"a list that is not there", at("/fixtures", status(404)), "acme-odds"},
		{"a credential that is refused", at("/fixtures", status(401)), "acme-odds"},
		{"prices that fail", at("/markets", status(502)), "acme-odds"},
		{"prices that are never answered", at("/markets", broken), "acme-odds"},
		{"prices that are too large", at("/markets", replaced(`"Special of the day"`, `"`+strings.Repeat("Special ", 3<<20)+`"`)), "acme-odds"},
		{"most prices cannot be read", at("/markets", replaced(`"labels"`, `"label"`)), "acme-odds"},
		{"all teams are numbers", at("/fixtures", replaced(`"home": "`, `"home": 7, "was": "`)), "acme-odds"},
		{"no matches in play", at("/live", status(403)), "acme-odds"},
		{"pages that never end", at("/fixtures", replaced(`"next": null`, `"next": "a"`)), "acme-odds"},
		{"ids that are others in each answer", at("/fixtures", changing), "acme-odds"},
		{"prices of a requested fixture are missing", at("/markets", replaced(`"1001"`, `"1009"`)), "acme-odds"},
		{"numbers as floats", at("/markets", replaced(`"1.95"`, `1.95`)), "acme-odds"},
		{"most of a list cannot be read", at("/fixtures", replaced(`"id": "`, `"id": "an id with spaces `)), "acme-odds"},
		{"the list is that of another source", at("/fixtures", replaced(`acme-odds`, `acme`)), "acme-odds"},
	}
	var text strings.Builder
	for _, test := range tests {
		requests = 0
		url := serve(t, test.answer)
		r, err := runOn(t, Options{URL: url, Source: test.source})
		fmt.Fprintf(&text, "== %s: %d answers, %v\n", test.name, r.Answers, err)
		for _, f := range r.Findings {
			fmt.Fprintf(&text, "%s %s %s %s (%d)\n\t%s\n", f.Level, f.Code, strings.ReplaceAll(f.Answer, url, "URL"), f.Path, f.Places, f.What)
		}
	}
	golden(t, "testdata/feeds.txt", text.String())
}

// TestNoFeed: where there is no feed, there are no findings but an error.
func TestNoFeed(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	if _, err := runOn(t, Options{URL: s.URL, Source: "acme-odds"}); !errors.Is(err, provider.ErrUnreachable) || strings.Contains(err.Error(), secret) {
		t.Errorf("nobody listens: %v", err)
	} else {
		t.Log(err)
	}
	for _, o := range []Options{{URL: serve(t, nil), Source: "betsapi"}, {URL: serve(t, nil), Source: "Acme Odds"}, {URL: serve(t, nil), Credential: []byte("\n")}, {Folder: fstest.MapFS{}}, {Folder: fstest.MapFS{"a.json": {}}, Source: "betsapi"}} {
		if _, err := runOn(t, o); err == nil {
			t.Errorf("%+v: no error", o)
		} else {
			t.Log(err)
		}
	}
}

// TestFolder: the answers in a folder are checked as those of a feed, without the requests.
func TestFolder(t *testing.T) {
	folder := fstest.MapFS{}
	for name, text := range good(t) {
		folder[name+".json"] = &fstest.MapFile{Data: []byte(text)}
	}
	r, err := runOn(t, Options{Folder: folder})
	check.Must(t, err)
	if r.Source != "acme-odds" || len(r.Findings) > 0 || r.Answers != 3 || r.Prices == nil || r.Prices.Total.Mapped != 3 || r.InPlay != 1 {
		t.Errorf("%+v", r)
	}
	folder["later.json"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(good(t)["fixtures"], `"1001"`, `"1"`))}
	folder["other.json"] = &fstest.MapFile{Data: []byte(`[]`)}
	r, err = runOn(t, Options{Folder: folder})
	check.Must(t, err)
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code+" "+f.Answer)
	}
	if got := strings.Join(codes, ", "); got != "ID_CHANGED later.json, NOT_AN_ANSWER other.json, COMPLETE_SHRINKS later.json" {
		t.Error(got)
	}
}

// TestMapping: what a market is follows from its line of the mapping table. A table that cannot be
// read is an error.
func TestMapping(t *testing.T) {
	const table = "by,match,key,ids,proof,market,period,subject,parameter,rank,shape,condition,reason\n"
	folder := fstest.MapFS{}
	for name, text := range good(t) {
		folder[name+".json"] = &fstest.MapFile{Data: []byte(regexp.MustCompile(`, "claim": \{[^}]*\}`).ReplaceAllString(text, ""))}
	}
	for _, test := range []struct {
		lines  string
		mapped int
		fault  string
	}{
		{"", 0, ""},
		{table + "name,Match Result,match-result,,,MATCH_RESULT,FT,,,1,,,\n", 1, ""},
		{table + "name,Match Result,match-result,,,MONEYLINE,FT,,,1,,,\n", 0, "MONEYLINE"},
	} {
		r, err := runOn(t, Options{Folder: folder, Mapping: test.lines})
		check.Must(t, err)
		text := fmt.Sprint(r.Findings)
		if (test.fault == "") != (len(r.Findings) == 0) || !strings.Contains(text, test.fault) || test.fault == "" && r.Prices.Total.Mapped != test.mapped {
			t.Errorf("%s\n%s: %+v", test.lines, text, r.Prices)
		}
	}
}

// TestStaysRaw: what the engine does not believe is a clear sentence, with the place of the market.
func TestStaysRaw(t *testing.T) {
	for _, edits := range [][]string{
		{"HANDICAP_SIDE", `"line": "+0.5"`, `"line": "-0.5"`, `, "handicap": "+0.5"`, ""},
		{"CLAIM_AMBIGUOUS_SHAPE", `"ASIAN_HANDICAP"`, `"HANDICAP_RESULT"`, "0.5", "1"},
		{"CLAIM_AMBIGUOUS_SHAPE", `"selection": "HOME" }`, `"selection": "AWAY" }`, `"selection": "AWAY" }`, `"selection": "HOME" }`},
		{"CLAIM_AMBIGUOUS_SHAPE", `"line": "1.5"`, `"line": "2.5"`},
		{"CLAIM_CONDITION_FAILED", `"Match Result"`, `"Most Corners"`},
		{"CLAIM_CONDITION_FAILED", `"selection": "DRAW"`, `"selection": "TIE"`},
		{"CLAIM_UNREADABLE_LINE", `, "line": "1.5"`, ""},
		{"CLAIM_CONDITION_FAILED", `"TEAM_TOTAL_GOALS"`, `"TOTAL_GOALS"`},
		{"CLAIM_UNRESOLVED_QUALIFIER", `"TEAM_TOTAL_GOALS"`, `"PLAYER_SHOTS"`, `, "subject": "HOME"`, "", `"Home Goals"`, `"Shots"`},
		{"CLAIM_NEVER_MAPPED", `"MATCH_RESULT", "period": "FT"`, `"MATCH_RESULT", "period": "PEN"`},
		{"CLAIM_UNKNOWN", `"MATCH_RESULT"`, `"MONEYLINE"`},
		{"SUSPICIOUS", `"1.95", "fractional": "19/20"`, `"9.00"`, `"decimal": null }, "suspended": true`, `"decimal": "1.30" }`},
	} {
		folder := fstest.MapFS{}
		for name, text := range good(t) {
			folder[name+".json"] = &fstest.MapFile{Data: []byte(strings.NewReplacer(edits[1:]...).Replace(text))}
		}
		r, err := runOn(t, Options{Folder: folder})
		check.Must(t, err)
		if len(r.Findings) != 1 || r.Findings[0].Code != edits[0] || r.Findings[0].Answer != "markets.json" || (r.Prices.Total.Raw == 2) != (edits[0] != "SUSPICIOUS") {
			t.Errorf("%q: %v, %d markets are RAW", edits, r.Findings, r.Prices.Total.Raw)
		}
	}
}

// golden compares a text with a file, which -update writes.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		check.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}
