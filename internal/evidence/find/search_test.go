package find_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/find"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/serve/requests"
)

const long = "req_abcdefghijklmnopqrstuvwx" // the id of a request as serve makes it

// searched is a data root of three accounts: acme has Beşiktaş at home, which is in play; other has many
// fixtures, and one with the id of one of acme's; the newest publication of broken is damaged.
func searched(t *testing.T) (data, requestsDir string) {
	data, requestsDir = t.TempDir(), filepath.Join(t.TempDir(), requests.Folder)
	named := func(f *servetest.Fixture, home, away, league string) {
		f.Row.Home, f.Row.Away, f.Row.League = &home, &away, &league
	}
	acme := servetest.NewRoot(t, data, "acme")
	list := servetest.Samples("acme", 4, 3, 1)
	named(&list[0], "Beşiktaş", "Malmö FF", "Ötztal Lig")
	named(&list[1], "Malmö Beşiktaş", "FC København", "Superliga")
	named(&list[2], "Ålesund", "Bodø/Glimt", "Eliteserien")
	named(&list[3], "\u200eמכבי תל אביב", "هلال", "ליגת העל")
	acme.Publish(servetest.Content{Fixtures: slices.Clone(list)}) // which it sorts
	live := servetest.LiveSamples("acme", 1, 1, servetest.Start)
	live[0].Row.Home, live[0].Row.Away = list[0].Row.Home, list[0].Row.Away
	servetest.NewLiveRoot(t, data, "acme").Publish(live)
	other := servetest.NewRoot(t, data, "other")
	other.Publish(servetest.Content{Fixtures: append(servetest.Samples("other", 60, 1, 1), list[1])})
	broken := servetest.NewRoot(t, data, "broken")
	broken.PublishSamples(3, 1)
	broken.Damage(layout.FixturesFile)

	disk, err := durable.OpenUnsynced(requestsDir)
	check.Must(t, err)
	defer disk.Close()
	log := requests.New(requests.Options{Disk: disk, Name: func() (string, error) { return "web", nil }, Known: func(string) bool { return true }, Now: time.Now})
	log.Add("acme", requests.Record{At: servetest.Start, ID: "req_abc", Route: "/fixtures/{id}", Fixture: list[0].Row.FixtureID, Status: 200})
	log.Add("acme", requests.Record{At: servetest.Start, ID: long, Route: "/account", Status: 200})
	log.Add("acme", requests.Record{At: servetest.Start, ID: "twice", Route: "/account", Status: 403, Code: "CLIENT_SUSPENDED"})
	log.Add("acme", requests.Record{At: servetest.Start.Add(time.Second), ID: "twice", Route: "/account", Status: 200})
	log.Add("other", requests.Record{At: servetest.Start, ID: "twice", Route: "/account", Status: 200})
	log.Add("other", requests.Record{At: servetest.Start, ID: "alesund", Route: "/account", Status: 200})
	log.Flush()
	return data, requestsDir
}

func TestSearch(t *testing.T) {
	data, asked := searched(t)
	list, err := dataset.List(data, dataset.Filter{})
	check.Must(t, err)
	fx := func(id string, n int) string { return servetest.FixtureID(id, n) }
	mk := servetest.ID("mk_", fx("acme", 0), "/", 1)
	sl := servetest.ID("sl_", fx("acme", 0), 1, 0)
	cycle := string(layout.NewCycleID(servetest.Start, "market_engine"))
	for text, want := range map[string]string{
		"besiktas":         "match acme, fixture acme, fixture acme, fixture other",
		"BEŞİKTAŞ malmo":   "match acme, fixture acme, fixture acme, fixture other", // no name has the words in this order but with a dash between them
		"malmo besiktas":   "fixture acme, fixture other, match acme, fixture acme", // those with the words in their order are the first
		"bodø":             "fixture acme",
		"alesund":          "request other, fixture acme", // no client leads an operator away from a team
		"otztal lig":       "fixture acme",                // a league
		"1000002":          "fixture other, fixture acme", // an id of the provider
		fx("acme", 0):      "fixture acme → /fixtures/acme/" + fx("acme", 0),
		fx("acme", 1):      "fixture acme, fixture other",
		fx("nobody", 1):    "",
		mk:                 "market acme → /fixtures/acme/" + fx("acme", 0) + "/" + mk,
		sl:                 "selection acme → /fixtures/acme/" + fx("acme", 0) + "/" + mk,
		" " + sl + "\n":    "selection acme → /fixtures/acme/" + fx("acme", 0) + "/" + mk,
		mk[:28] + "a":      "",
		cycle:              "cycle acme, cycle broken, cycle other",
		cycle[:16]:         "cycle acme, cycle acme, cycle broken, cycle other",
		"20200101T000000Z": "",
		`{"client_id":"acme","fixture_id":"` + fx("acme", 0) + `"}`:                  "fixture acme → /fixtures/acme/" + fx("acme", 0),
		"https://api.test/api/v1/fixtures/" + fx("acme", 0) + "/markets?period=FULL": "fixture acme → /fixtures/acme/" + fx("acme", 0),
		strings.ToUpper(fx("acme", 0)):                                               "fixture acme → /fixtures/acme/" + fx("acme", 0),
		fx("acme", 0) + " " + mk:                                                     "",
		"raw/cycle=" + cycle + "/":                                                   "cycle acme, cycle broken, cycle other",
		"X-Request-Id: " + long:                                                      "request acme → /requests/acme?id=" + long,
		`{"error":{"code":"FIXTURE_NOT_FOUND","message":"there is no such fixture","request_id":"` + long + `"}}`: "request acme → /requests/acme?id=" + long,
		"req_abc":          "request acme → /requests/acme?id=req_abc",
		"req_abcd":         "",
		"twice":            "request acme, request other",
		"":                 "",
		"% ; \x00 <b>":     "",
		"מכבי":             "fixture acme",
		"\u200fמכבי\u200f": "fixture acme", // with the marks of a text that is copied
	} {
		r := find.Search(t.Context(), list, asked, text)
		var got []string
		for _, h := range r.Hits {
			got = append(got, fmt.Sprint(h.Kind, " ", h.Tenant))
		}
		shown := strings.Join(got, ", ")
		if to := r.Only(); to != "" {
			shown += " → " + to
		}
		if shown != want {
			t.Errorf("%q: %s, want %s", text, shown, want)
		}
		if r.Kind == find.Request && len(r.Unread) > 0 || r.Kind == find.Words && text != "" && !strings.HasPrefix(strings.Join(r.Unread, "; "), "broken market_engine: ") {
			t.Errorf("%q: left out are %q", text, r.Unread)
		}
		if _, err := r.Document().HTML(); err != nil {
			t.Error(err)
		}
	}
}

// A search is bounded in what it lists and in the time that it takes, and without the requests of serve it
// finds the rest.
func TestSearchBounds(t *testing.T) {
	data, asked := searched(t)
	list, err := dataset.List(data, dataset.Filter{})
	check.Must(t, err)
	r := find.Search(t.Context(), list, asked, "home")
	if len(r.Hits) != 50 || r.More != 10 {
		t.Errorf("%d and %d more", len(r.Hits), r.More)
	}
	if page, err := r.Document().HTML(); err != nil || !strings.Contains(string(page), "60 found") {
		t.Errorf("%.400s, %v", page, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r := find.Search(ended, list, asked, "home"); len(r.Hits) != 0 || len(r.Unread) != 1 || r.Unread[0] != fmt.Sprintf("%d of %[1]d products: the search took too long", len(list)) {
		t.Errorf("after its time it has %+v", r)
	}
	many := slices.Repeat(list, 40)
	r = find.Search(t.Context(), many, asked, "home")
	if len(r.Hits) != 50 || r.More != 40*60-50 || cap(r.Hits) > 1000 {
		t.Errorf("of many accounts it has %d and %d more, in the memory of %d", len(r.Hits), r.More, cap(r.Hits))
	}
	if page, err := r.Document().HTML(); err != nil || strings.Count(string(page), "left out: broken") != 20 || !strings.Contains(string(page), "left out: 20 more") {
		t.Errorf("%.400s, %v", page, err)
	}
	check.Must(t, os.RemoveAll(asked))
	if r := find.Search(t.Context(), list, asked, "bodo"); len(r.Hits) != 1 {
		t.Errorf("without requests: %+v", r)
	}
}
