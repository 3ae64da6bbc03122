package dataroot

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Answer is a provider's answer to archive.
type Answer struct {
	Endpoint string
	Query    url.Values
	Body     string
}

// Root is a data root in memory for one tenant and product, with payloads written by a test.
type Root struct {
	testing.TB
	Mem     *durabletest.Mem
	Product football.Product
}

// New returns an empty data root.
func New(t testing.TB, p football.Product) *Root { return &Root{t, durabletest.NewMem(), p} }

// Cycle archives, transforms and publishes answers, a duration after [Began].
func (r *Root) Cycle(after time.Duration, edit func(*raw.Cycle), answers ...Answer) layout.CycleID {
	r.Helper()
	at := Began.Add(after)
	id := layout.NewCycleID(at, string(r.Product))
	out, err := raw.Create(r.Mem, id, nil)
	check.Must(r, err)
	for i, a := range answers {
		response := raw.Response{Endpoint: a.Endpoint, Path: "/" + a.Endpoint, Query: a.Query, Attempt: 1, Status: 200, FetchedAt: at.Add(time.Duration(i+1) * time.Second)}
		_, err := out.Add(response, []byte(a.Body))
		check.Must(r, err)
	}
	header := raw.Cycle{ClientID: "acme", Product: r.Product, Provider: "betsapi", StartedAt: at, FinishedAt: at.Add(time.Minute),
		Outcome: raw.Complete, ListingComplete: true}
	if edit != nil {
		edit(&header)
	}
	_, err = out.Seal(header)
	check.Must(r, err)
	check.Must(r, Product{Name: r.Product, Root: r.Mem, Data: r.Mem, Key: Key, Version: "test"}.Process(r.Context(), at.Add(2*time.Minute)))
	return id
}

// Rows reads a table of the newest snapshot.
func Rows[T table.Row](r *Root, name string) (list []T) {
	r.Helper()
	c, _, err := snapshot.Head(r.Mem)
	check.Must(r, err)
	for row, err := range snapshot.Rows[T](r.Mem, c.Dir()+"/"+name) {
		check.Must(r, err)
		list = append(list, *row)
	}
	return list
}

// Listing is a page of bet365/upcoming.
func Listing(items ...string) Answer {
	return Answer{"bet365/upcoming", url.Values{"page": {"1"}},
		fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":50,"total":%d},"results":[%s]}`, len(items), strings.Join(items, ","))}
}

// Listed is an item of a [Listing], with a league without a name.
func Listed(id, home, away string) string {
	return fmt.Sprintf(`{"id":"%s","sport_id":"1","time":"1795165200","time_status":"0","league":{"id":"1","name":""},"home":{"id":"2","name":%q},"away":{"id":"3","name":%q},"ss":null,"our_event_id":null,"r_id":null,"updated_at":"1795160000"}`, id, home, away)
}

// Offer is an answer of bet365/prematch.
func Offer(id, sections string) Answer {
	return Answer{"bet365/prematch", url.Values{"FI": {id}}, fmt.Sprintf(`{"success":1,"results":[{"FI":"%s","event_id":"9",%s}]}`, id, sections)}
}
