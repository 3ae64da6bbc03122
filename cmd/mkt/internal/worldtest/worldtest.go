// Package worldtest makes small data roots in memory for tests of the offline
// tools: real archives, transformed and published by the real stages.
package worldtest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

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

// Began is when the first cycle begins.
var Began = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)

// Key is the id key of every world.
var Key = identity.Key{1, 2, 3}

// Must stops the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Answer is one archived answer to be.
type Answer struct {
	Endpoint string
	Query    url.Values
	Body     string
}

// World is a data root of one tenant and product in memory.
type World struct {
	testing.TB
	Mem     *durabletest.Mem
	Product football.Product
}

// New is an empty world.
func New(t testing.TB, p football.Product) *World { return &World{t, durabletest.NewMem(), p} }

// Cycle archives, transforms and publishes answers, that long after the first.
func (w *World) Cycle(after time.Duration, edit func(*raw.Cycle), answers ...Answer) layout.CycleID {
	w.Helper()
	at := Began.Add(after)
	id := layout.NewCycleID(at, string(w.Product))
	out, err := raw.Create(w.Mem, id, nil)
	Must(w, err)
	for i, a := range answers {
		r := raw.Response{Endpoint: a.Endpoint, Path: "/" + a.Endpoint, Query: a.Query, Attempt: 1, Status: 200, FetchedAt: at.Add(time.Duration(i+1) * time.Second)}
		_, err := out.Add(r, []byte(a.Body))
		Must(w, err)
	}
	header := raw.Cycle{ClientID: "acme", Product: w.Product, Provider: "betsapi", StartedAt: at, FinishedAt: at.Add(time.Minute),
		Outcome: raw.Complete, ListingComplete: true}
	if edit != nil {
		edit(&header)
	}
	_, err = out.Seal(header)
	Must(w, err)
	now := func() time.Time { return at.Add(2 * time.Minute) }
	_, err = transform.Run(w.Context(), transform.Options{ClientID: "acme", Product: w.Product, Root: w.Mem, Data: w.Mem, Key: Key, Now: now, Version: "test"})
	Must(w, err)
	_, err = publish.Run(w.Context(), publish.Options{ClientID: "acme", Product: w.Product, Root: w.Mem, Now: now, Version: "test",
		Check: func(context.Context, layout.CycleID, string) error { return nil }})
	Must(w, err)
	return id
}

// Rows reads a table of the newest snapshot.
func Rows[T table.Row](w *World, name string) (list []T) {
	w.Helper()
	c, _, err := snapshot.Head(w.Mem)
	Must(w, err)
	for row, err := range snapshot.Rows[T](w.Mem, c.Dir()+"/"+name) {
		Must(w, err)
		list = append(list, *row)
	}
	return list
}

// Listing is a page of bet365/upcoming.
func Listing(items ...string) Answer {
	return Answer{"bet365/upcoming", url.Values{"page": {"1"}},
		fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":50,"total":%d},"results":[%s]}`, len(items), strings.Join(items, ","))}
}

// Listed is an item of it, with a league without a name.
func Listed(id, home, away string) string {
	return fmt.Sprintf(`{"id":"%s","sport_id":"1","time":"1795165200","time_status":"0","league":{"id":"1","name":null},"home":{"id":"2","name":%q},"away":{"id":"3","name":%q},"ss":null,"our_event_id":null,"r_id":null,"updated_at":"1795160000"}`, id, home, away)
}

// Sold is an answer of bet365/prematch.
func Sold(id, sections string) Answer {
	return Answer{"bet365/prematch", url.Values{"FI": {id}}, fmt.Sprintf(`{"success":1,"results":[{"FI":"%s","event_id":"9",%s}]}`, id, sections)}
}
