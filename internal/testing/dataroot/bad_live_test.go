package dataroot_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// liveOutcome is the result of a live cycle.
type liveOutcome struct {
	outcome
	teams map[string]string // of the fixtures in the publication, with the league
}

func (a *account) liveCycle(change func(*answer)) (o liveOutcome) {
	a.Helper()
	o.outcome = a.steps(8*time.Second, change)
	o.teams = map[string]string{}
	c, _, err := snapshot.Head(a.mem)
	check.Must(a, err)
	for row, err := range snapshot.Rows[table.LiveRow](a.mem, c.Dir()+"/"+layout.LiveFile) {
		check.Must(a, err)
		text, err := json.Marshal([]any{row.Home, row.Away, row.League})
		check.Must(a, err)
		o.teams[row.FixtureID] = string(text)
	}
	return o
}

// Whatever a provider sends one day of matches in play, no match gets the teams of another or
// loses its own, and the failure or the counters of the cycle name the fault.
func TestBadLiveInput(t *testing.T) {
	live := func(change func(*answer)) func(*answer) { return of("live", change) }
	clock := func(value any) func(*answer) {
		return live(func(a *answer) {
			each(a.body, func(o map[string]any) {
				for _, key := range []string{"elapsed", "tm", "minutes", "minute"} {
					if _, has := o[key]; has {
						o[key] = value
					}
				}
			})
		})
	}
	for i := range wires {
		w := &wires[i]
		if w.provider == "theoddsapi" { // it sells no matches in play
			continue
		}
		t.Run(w.provider, func(t *testing.T) {
			t.Parallel()
			a := newAccount(t, w, someFixtures)
			sim, err := emulators.New(w.provider, simulator.Options{Seed: 7, Fixtures: 8, InPlay: 6, Quota: 1_000_000, Now: func() time.Time { return a.now },
				Tokens: map[string]simulator.Account{dataroot.Secret: {Seed: 7}}})
			check.Must(t, err)
			a.now, a.options.Product, a.answers.provider = noon.Add(3*time.Hour), football.LiveIntelligence, http.Handler(sim)
			before := a.liveCycle(func(*answer) {})
			if before.err != nil || len(before.teams) < 3 {
				t.Fatalf("%d matches, %v", len(before.teams), before.err)
			}
			for _, c := range []struct {
				name   string
				change func(*answer)
				code   string
				says   string
			}{
				{"an empty list", live(func(a *answer) { a.set() }), "", ""},
				{"a page of HTML", live(func(a *answer) { a.raw = []byte("<html>busy</html>") }), "PROVIDER_UNREACHABLE", "NOT_JSON"},
				{"two matches with one id", severalOf("live", func(a *answer, items []map[string]any) {
					other := clone(items[1])
					path := a.listed
					object, key := at(other, path)
					first, _ := at(items[0], path)
					object[key] = first[key]
					a.set(append(items, other)...)
				}), "", "an id of two fixtures"},
				{"a minute below zero", clock(json.Number("-5")), "", "cannot be read"},
				{"a minute beyond any match", clock(json.Number("999")), "", "cannot be read"},
				{"a minute as words", clock("45+2"), "", "cannot be read"},
				{"the names have another name", live(func(a *answer) { a.rename("name") }), "QUARANTINED", "a member is missing"},
				{"the teams have another name", live(func(a *answer) { a.rename("home", "teams", "participants") }), "QUARANTINED", "missing"},
				{"the state has another name", live(func(a *answer) { a.rename(a.states...) }), "QUARANTINED", ""},
				{"unknown states", live(func(a *answer) {
					each(a.body, func(o map[string]any) {
						for _, key := range a.states {
							if _, has := o[key]; has {
								o[key] = "77"
							}
						}
					})
				}), "QUARANTINED", ""},
			} {
				if c.name == "the names have another name" && w.provider == "feed:simulated" { // where a team is its name
					continue
				}
				o := a.liveCycle(c.change)
				if (o.err != nil) != (c.code != "") || o.err != nil && o.code() != c.code {
					t.Errorf("%s: code %q, want %q: %v", c.name, o.code(), c.code, o.err)
				}
				if said := fmt.Sprint(o.err, o.counted); !strings.Contains(said, c.says) {
					t.Errorf("%s: %q is not named: %s", c.name, c.says, said)
				}
				for id, teams := range o.teams {
					if was, known := before.teams[id]; !known || was != teams {
						t.Errorf("%s: %s is %s, was %s", c.name, id, teams, was)
					}
				}
				if len(o.teams) != len(before.teams) {
					t.Errorf("%s: %d matches, before %d", c.name, len(o.teams), len(before.teams))
				}
			}
		})
	}
}
