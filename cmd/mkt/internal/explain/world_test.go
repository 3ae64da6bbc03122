package explain_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/identity"
)

var began = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is one archived answer to be.
type answer struct {
	endpoint string
	query    url.Values
	body     string
}

// world is a data root of one tenant and product in memory.
type world struct {
	testing.TB
	mem     *durabletest.Mem
	product football.Product
}

func newWorld(t testing.TB, p football.Product) *world { return &world{t, durabletest.NewMem(), p} }

// cycle archives, transforms and publishes answers, that long after the first.
func (w *world) cycle(after time.Duration, edit func(*raw.Cycle), answers ...answer) layout.CycleID {
	w.Helper()
	at := began.Add(after)
	id := layout.NewCycleID(at, string(w.product))
	out, err := raw.Create(w.mem, id, nil)
	must(w, err)
	for i, a := range answers {
		r := raw.Response{Endpoint: a.endpoint, Path: "/" + a.endpoint, Query: a.query, Attempt: 1, Status: 200, FetchedAt: at.Add(time.Duration(i+1) * time.Second)}
		_, err := out.Add(r, []byte(a.body))
		must(w, err)
	}
	header := raw.Cycle{ClientID: "acme", Product: w.product, Provider: "betsapi", StartedAt: at, FinishedAt: at.Add(time.Minute),
		Outcome: raw.Complete, ListingComplete: true}
	if edit != nil {
		edit(&header)
	}
	_, err = out.Seal(header)
	must(w, err)
	now := func() time.Time { return at.Add(2 * time.Minute) }
	_, err = transform.Run(w.Context(), transform.Options{ClientID: "acme", Product: w.product, Root: w.mem, Data: w.mem, Key: identity.Key{1, 2, 3}, Now: now, Version: "test"})
	must(w, err)
	_, err = publish.Run(w.Context(), publish.Options{ClientID: "acme", Product: w.product, Root: w.mem, Now: now, Version: "test",
		Check: func(context.Context, layout.CycleID, string) error { return nil }})
	must(w, err)
	return id
}

func (w *world) explain(at snapshot.Moment, id string) (*explain.Report, error) {
	target, err := explain.ParseTarget(id)
	must(w, err)
	return explain.Run(w.Context(), explain.Options{Tenant: "acme", Product: w.product, Root: w.mem, At: at, Provider: all.Lookup}, target)
}

// rows reads a table of the newest snapshot.
func rows[T table.Row](w *world, name string) (list []T) {
	w.Helper()
	c, _, err := snapshot.Head(w.mem)
	must(w, err)
	file, err := w.mem.Open(c.Dir() + "/" + name)
	must(w, err)
	defer file.Close()
	r, err := table.NewReader[T](file, file.Size())
	must(w, err)
	defer r.Close()
	for row, err := range r.All {
		must(w, err)
		list = append(list, *row)
	}
	return list
}

// listing is a page of bet365/upcoming.
func listing(items ...string) answer {
	return answer{"bet365/upcoming", url.Values{"page": {"1"}},
		fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":50,"total":%d},"results":[%s]}`, len(items), strings.Join(items, ","))}
}

func listed(id, home, away string) string {
	return fmt.Sprintf(`{"id":"%s","sport_id":"1","time":"1795165200","time_status":"0","league":{"id":"1","name":null},"home":{"id":"2","name":%q},"away":{"id":"3","name":%q},"ss":null,"our_event_id":null,"r_id":null,"updated_at":"1795160000"}`, id, home, away)
}

// sold is an answer of bet365/prematch.
func sold(id, sections string) answer {
	return answer{"bet365/prematch", url.Values{"FI": {id}}, fmt.Sprintf(`{"success":1,"results":[{"FI":"%s","event_id":"9",%s}]}`, id, sections)}
}
