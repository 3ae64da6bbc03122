package transform_test

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/identity"
)

const cycleID = layout.CycleID("20261120T090700Z-market_engine")

var (
	began = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	ran   = began.Add(5 * time.Minute)
)

// must ends the test if there is an error.
var must = check.Must

type world struct {
	pages, sheets []provider.Payload
	edit          func(*raw.Cycle)
}

func (w world) archive(fsys durable.FS) error {
	out, err := raw.Create(fsys, cycleID, nil)
	if err != nil {
		return err
	}
	for _, p := range append(w.pages[:len(w.pages):len(w.pages)], w.sheets...) {
		r := raw.Response{Endpoint: p.Endpoint, Path: "/v1/" + p.Endpoint, Query: p.Query, Attempt: 1, Status: 200, FetchedAt: p.FetchedAt}
		if _, err := out.Add(r, p.Body); err != nil {
			return err
		}
	}
	header := raw.Cycle{ClientID: "acme", Product: football.MarketEngine, Provider: "betsapi", StartedAt: began,
		FinishedAt: began.Add(time.Minute), Outcome: raw.Complete, ListingComplete: true}
	if w.edit != nil {
		w.edit(&header)
	}
	_, err = out.Seal(header)
	return err
}

func (w world) mem(t testing.TB) *durabletest.Mem {
	t.Helper()
	mem := durabletest.NewMem()
	must(t, w.archive(mem))
	return mem
}

func options(root, data durable.FS) transform.Options {
	return transform.Options{ClientID: "acme", Product: football.MarketEngine, Root: root, Data: data, Key: identity.Key{1, 2, 3},
		Now: func() time.Time { return ran }, Workers: 2, Version: "test"}
}

func run(root, data durable.FS) (transform.Summary, error) {
	return transform.Run(context.Background(), options(root, data))
}

// small is a world with one fixture for each text: its id and, after a space, its
// payload; without a payload it has a market of its own.
func small(fixtures ...string) world {
	var w world
	var items []string
	for i, f := range fixtures {
		id, body, _ := strings.Cut(f, " ")
		items = append(items, fmt.Sprintf(`{"id":"%s","sport_id":"1","time":"1795165200","time_status":"0","league":{"id":"1","name":"League"},"home":{"id":"2","name":"Home %s"},"away":{"id":"3","name":"Away %s"},"ss":null,"our_event_id":null,"r_id":null,"updated_at":"1795160000"}`, id, id, id))
		body = cmp.Or(body, fmt.Sprintf(`{"success":1,"results":[{"FI":"%s","event_id":"9","main":{"updated_at":"1795160000","sp":{"full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"%s1","odds":"1.90","name":"1"},{"id":"%s2","odds":"3.40","name":"Draw"},{"id":"%s3","odds":"4.00","name":"Away %s"}]},"draw_no_bet":{"id":"10544","name":"Draw No Bet","odds":[]}}}}]}`, id, id, id, id, id))
		w.sheets = append(w.sheets, provider.Payload{Endpoint: "bet365/prematch", Query: url.Values{"FI": {id}},
			FetchedAt: began.Add(time.Duration(i+2) * time.Second), Body: []byte(body)})
	}
	page := fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":50,"total":%d},"results":[%s]}`, len(items), strings.Join(items, ","))
	w.pages = []provider.Payload{{Endpoint: "bet365/upcoming", Query: url.Values{"page": {"1"}}, FetchedAt: began.Add(time.Second), Body: []byte(page)}}
	return w
}

func files(t testing.TB, fsys durable.FS, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	entries, err := fsys.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			for k, v := range files(t, fsys, name) {
				all[k] = v
			}
			continue
		}
		data, err := durable.ReadFile(fsys, name, 1<<30)
		must(t, err)
		all[name] = string(data)
	}
	return all
}

func rows[T table.Row](t testing.TB, fsys durable.FS, name string) []T {
	t.Helper()
	return rowsOf[T](t, fsys, cycleID, name)
}

func rowsOf[T table.Row](t testing.TB, fsys durable.FS, cycle layout.CycleID, name string) (all []T) {
	t.Helper()
	for row, err := range snapshot.Rows[T](fsys, layout.Cycle(layout.CanonicalDir, cycle)+"/"+name) {
		must(t, err)
		all = append(all, *row)
	}
	return all
}
