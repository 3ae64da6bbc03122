package dataroot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/reading"
)

// account is an account of one provider, whose emulator's answers a test changes. The provider's world
// stands still: only the test changes anything.
type account struct {
	testing.TB
	wire    *wire
	mem     *durabletest.Mem
	answers *changed
	options fetch.Options
	now     time.Time

	fixtures int // of the provider's world
}

// someFixtures is how many a provider has in most tests.
const someFixtures = 6

// eachProvider runs a test for an account of every provider.
func eachProvider(t *testing.T, fixtures int, test func(*testing.T, *account)) {
	for i := range wires {
		t.Run(wires[i].provider, func(t *testing.T) {
			t.Parallel()
			test(t, newAccount(t, &wires[i], fixtures))
		})
	}
}

var noon = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

func newAccount(t testing.TB, w *wire, fixtures int) *account {
	t.Helper()
	a := &account{TB: t, wire: w, mem: durabletest.NewMem(), now: noon, fixtures: fixtures}
	a.answers = &changed{TB: t, wire: w, provider: a.emulator()}
	server := httptest.NewServer(a.answers)
	t.Cleanup(server.Close)
	tenant := dataroot.Fetching(server.URL)
	tenant.Provider = w.provider
	a.options = fetch.Options{Tenant: tenant, Product: football.MarketEngine, Root: a.mem, Now: func() time.Time { return a.now },
		Open: func(string, string, string) (credential.Secret, error) {
			return credential.NewSecret(dataroot.Secret), nil
		},
		Provider: func(name string) (provider.Provider, bool) {
			p, ok := all.Lookup(name)
			p.Budget.Burst, p.Budget.Concurrency = 100_000, 1
			return p, ok
		},
		Limits: fetch.Limits{Run: time.Minute, QuotaWait: 50 * time.Millisecond, Tries: 2, Wait: time.Millisecond, MaxWait: 5 * time.Millisecond, Confirm: 10 * time.Millisecond, Break: 20 * time.Millisecond},
	}
	return a
}

// emulator returns the provider's emulator with faults.
func (a *account) emulator(faults ...string) http.Handler {
	a.Helper()
	o := simulator.Options{Seed: 7, Fixtures: a.fixtures, InPlay: -1, Quota: 1_000_000, Now: func() time.Time { return noon },
		Tokens: map[string]simulator.Account{dataroot.Secret: {Seed: 7}}}
	for _, text := range faults {
		f, err := simulator.ParseFault(text)
		check.Must(a, err)
		o.Faults = append(o.Faults, f)
	}
	sim, err := emulators.New(a.wire.provider, o)
	check.Must(a, err)
	return sim
}

// outcome is the result of a cycle.
type outcome struct {
	fetch     fetch.Summary
	transform transform.Summary
	publish   publish.Summary
	err       error             // of the first step that failed
	counted   map[string]int    // broken, damaged or skipped parts, from the manifest
	content   map[string]string // of the newest publication, by the provider's fixture id
}

// cycle runs the steps of a cycle while the provider's answers are changed.
func (a *account) cycle(change func(*answer)) (o outcome) {
	a.Helper()
	o = a.steps(time.Minute, change)
	o.content = a.content()
	return o
}

// steps runs the steps some time after the last ones.
func (a *account) steps(later time.Duration, change func(*answer)) (o outcome) {
	a.Helper()
	a.answers.change, a.answers.numbers = change, map[string]int{}
	a.now = a.now.Add(later)
	if o.fetch, o.err = fetch.Run(a.Context(), a.options); o.err == nil {
		o.transform, o.err = transform.Run(a.Context(), transform.Options{ClientID: "acme", Product: a.options.Product, Root: a.mem, Data: a.mem,
			Key: dataroot.Key, Now: a.options.Now, Version: "test"})
	}
	if o.err == nil {
		o.publish, o.err = publish.Run(a.Context(), publish.Options{ClientID: "acme", Product: a.options.Product, Root: a.mem, Now: a.options.Now, Version: "test",
			Check: func(context.Context, layout.CycleID, string) error { return nil }})
		m, _, err := snapshot.OpenCanonical(a.mem, o.transform.Cycle)
		check.Must(a, err)
		o.counted = maps.Clone(m.Damaged)
		if o.counted == nil {
			o.counted = map[string]int{}
		}
		maps.Copy(o.counted, m.Broken)
		for name, n := range m.Counters {
			o.counted[name] = int(n)
		}
	}
	return o
}

// content returns the newest publication without the times and the digests of the answers it was read from.
func (a *account) content() map[string]string {
	a.Helper()
	c, found, err := snapshot.Head(a.mem)
	check.Must(a, err)
	all, ids := map[string]string{}, map[string]string{}
	if !found {
		return all
	}
	add := func(fixture string, row any) {
		text, err := json.Marshal(row)
		check.Must(a, err)
		all[ids[fixture]] += string(text) + "\n"
	}
	for row, err := range snapshot.Rows[table.FixtureRow](a.mem, c.Dir()+"/"+layout.FixturesFile) {
		check.Must(a, err)
		ids[row.FixtureID] = row.ProviderFixtureID
		row.ProviderFetchedAt, row.AnswerSHA256 = time.Time{}, nil
		add(row.FixtureID, row)
	}
	for row, err := range snapshot.Rows[table.MarketRow](a.mem, c.Dir()+"/"+layout.MarketsFile) {
		check.Must(a, err)
		add(row.FixtureID, row)
	}
	return all
}

// code is the pipeline code of the outcome, "" for success.
func (o *outcome) code() string {
	if errors.Is(o.err, reading.ErrQuarantined) {
		return "QUARANTINED"
	}
	return string(o.fetch.Code)
}

// samePublication checks that a later cycle left the publication as it was.
func (o *outcome) samePublication(t *testing.T, later outcome) {
	t.Helper()
	if diff := cmp.Diff(o.content, later.content); diff != "" {
		t.Errorf("the publication is different (-before +after)\n%.1500s", diff)
	}
}

// badInput is something that a provider may send one day.
type badInput struct {
	name   string
	change func(*answer)
	code   string   // of the cycle's failure; "" if it must publish
	says   string   // is in the message of the failure, or counted in the manifest; of several, with | between them, one is
	ofFeed string   // code at a feed, whose form is closed, if it is another
	not    []string // providers that cannot send it
	long   bool     // not in a short run
}

func list(change func(*answer)) func(*answer)    { return of("list", change) }
func markets(change func(*answer)) func(*answer) { return of("markets", change) }

func of(class string, change func(*answer)) func(*answer) {
	return func(a *answer) {
		if a.class == class {
			change(a)
		}
	}
}

// severalOf calls change for the first answer that has several fixtures.
func severalOf(class string, change func(a *answer, items []map[string]any)) func(*answer) {
	done := false
	return of(class, func(a *answer) {
		if items := a.items(); !done && len(items) > 1 {
			done = true
			change(a, items)
		}
	})
}

func badInputs() []badInput {
	const reshaped, prices = "a member is missing, and an unknown one is there|: missing", "prices|odds.decimal"
	return []badInput{
		{name: "an empty list", change: list(func(a *answer) { a.set() })},
		{name: "empty answers about markets", change: markets(func(a *answer) { a.set() }), ofFeed: "PAYLOAD_REJECTED"},
		{name: "a page of HTML for the list", long: true, change: list(func(a *answer) { a.raw = []byte("<html>busy</html>") }), code: "PROVIDER_UNREACHABLE", says: "NOT_JSON"},
		{name: "a page of HTML for the markets", change: markets(func(a *answer) { a.raw = []byte("<html>busy</html>") }), code: "PROVIDER_UNREACHABLE", says: "NOT_JSON"},
		{name: "another sport under football's id", change: list(func(a *answer) {
			each(a.body, func(o map[string]any) {
				if _, has := o[a.single[0]]; has {
					o[a.single[0]] = a.single[1]
				}
			})
		}), not: []string{"apifootball", "feed:simulated"}},
		{name: "the list of another sport", change: list(func(a *answer) { a.rename("id", "fixture") }), code: "PAYLOAD_REJECTED", says: "has an id", not: []string{"apifootball", "theoddsapi"}},
		{name: "half of the list, and the whole total", change: list(func(a *answer) {
			if a.wire.list == "" {
				a.raw = []byte(`[{"id":7}]`)
			} else if all := a.body.(map[string]any); len(a.items()) > 1 {
				all[a.wire.list] = all[a.wire.list].([]any)[:len(a.items())/2]
			} else if len(a.items()) == 1 {
				all[a.wire.list] = []any{}
			}
		}), not: []string{"theoddsapi"}},
		{name: "two fixtures with one id in the list", change: severalOf("list", func(a *answer, items []map[string]any) {
			other := clone(items[len(items)-1])
			a.setID(other, a.id(items[len(items)-2]))
			a.set(append(items, other)...)
		}), says: "an id of two fixtures", not: []string{"theoddsapi"}},
		{name: "two fixtures with one id among the markets", change: severalOf("markets", func(a *answer, items []map[string]any) {
			other := clone(items[1])
			a.setID(other, a.id(items[0]))
			a.set(append(items, other)...)
		}), says: "fixture:AMBIGUOUS_SHAPE", not: []string{"theoddsapi"}},
		{name: "one fixture twice", long: true, change: severalOf("markets", func(a *answer, items []map[string]any) { a.set(append(items, items[0])...) })},
		{name: "ids as text, and as numbers", long: true, change: func(a *answer) {
			for _, item := range a.items() {
				switch id := a.id(item).(type) {
				case string:
					if strings.Trim(id, "0123456789") == "" && len(id) < 20 {
						a.setID(item, json.Number(id))
					}
				case json.Number:
					a.setID(item, id.String())
				}
			}
		}, ofFeed: "PAYLOAD_REJECTED"},
		{name: "a fixture that is not on the list among the markets", long: true, change: severalOf("markets", func(a *answer, items []map[string]any) {
			other := clone(items[0])
			a.setID(other, map[bool]any{true: strings.Repeat("9", 32), false: json.Number("999999")}[a.wire.list == ""])
			a.set(append(items, other)...)
		})},
		{name: "prices of another bookmaker alone", change: markets(func(a *answer) { a.bookmaker(false) }), code: "QUARANTINED", says: "of other bookmakers alone", not: []string{"betsapi", "feed:simulated"}},
		{name: "prices of another bookmaker beside", long: true, change: markets(func(a *answer) { a.bookmaker(true) }), not: []string{"betsapi"}},
		{name: "the bookmaker is gone", change: markets(func(a *answer) {
			for _, item := range a.items() {
				each(item, func(o map[string]any) {
					for _, member := range []string{"bookmakers", "odds"} {
						if _, is := o[member].([]any); is {
							o[member] = []any{}
						}
					}
				})
			}
		}), not: []string{"betsapi"}},
		{name: "prices that are no number", change: markets(func(a *answer) { a.price("NaN") }), code: "QUARANTINED", says: prices},
		{name: "prices that are too great", long: true, change: markets(func(a *answer) { a.price(json.Number("1e308")) }), code: "QUARANTINED", says: prices},
		{name: "prices below zero", long: true, change: markets(func(a *answer) { a.price(json.Number("-1.9")) }), code: "QUARANTINED", says: prices},
		{name: "prices with a comma", change: markets(func(a *answer) { a.price("1,90") }), code: "QUARANTINED", says: prices},
		{name: "prices with white space", long: true, change: markets(func(a *answer) { a.price(" 1.90 ") }), code: "QUARANTINED", says: prices},
		{name: "American prices", long: true, change: markets(func(a *answer) { a.price("+120") }), code: "QUARANTINED", says: prices},
		{name: "fractional prices", long: true, change: markets(func(a *answer) { a.price("6/4") }), code: "QUARANTINED", says: prices},
		{name: "prices that are objects", long: true, change: markets(func(a *answer) { a.price(map[string]any{"value": "1.90"}) }), code: "QUARANTINED", says: prices},
		{name: "kick-offs in another format", change: list(func(a *answer) { a.starting("07/03/2026 18:00") }), code: "QUARANTINED", says: "items of the fixture list in part"},
		{name: "kick-offs in milliseconds", long: true, change: list(func(a *answer) { a.starting(json.Number("1772971200000")) }), code: "QUARANTINED", says: "items of the fixture list in part"},
		{name: "the price has another name", change: markets(func(a *answer) { a.rename(a.prices...) }), code: "QUARANTINED"},
		{name: "the label has another name", change: markets(func(a *answer) { a.rename(a.labels...) }), code: "QUARANTINED", says: "rows of markets|selection.labels", not: []string{"betsapi", "theoddsapi"}},
		{name: "the markets have another name", change: markets(func(a *answer) { a.rename(a.markets) }), code: "QUARANTINED"},
		{name: "the teams have another name", change: list(func(a *answer) { a.rename("home", "away", "participants", "teams", "home_team", "away_team") }), code: "QUARANTINED", says: reshaped},
		{name: "a team's name has another name", change: list(func(a *answer) { a.rename("name") }), code: "QUARANTINED", says: reshaped, not: []string{"theoddsapi", "feed:simulated"}},
		{name: "the league has another name", long: true, change: list(func(a *answer) { a.rename("league", "sport_title") }), code: "QUARANTINED", says: reshaped},
		{name: "the kick-off has another name", change: list(func(a *answer) { a.rename(a.starts...) }), code: "QUARANTINED", says: reshaped},
		{name: "the state has another name", long: true, change: list(func(a *answer) { a.rename(a.states...) }), code: "QUARANTINED", says: reshaped, not: []string{"theoddsapi"}},
		{name: "the list's member has another name", change: list(func(a *answer) { a.raw = renamedList(a) }), code: "PAYLOAD_REJECTED", says: "NO_ENVELOPE"},
		{name: "the markets' member has another name", long: true, change: markets(func(a *answer) { a.raw = renamedList(a) }), code: "PAYLOAD_REJECTED", says: "NO_ENVELOPE"},
		{name: "ten megabytes of white space", change: markets(func(a *answer) {
			if a.number == 1 {
				text, _ := json.Marshal(a.body)
				a.raw = append(text, strings.Repeat(" ", 10<<20)...)
			}
		})},
		{name: "long texts", change: list(func(a *answer) {
			for _, item := range a.items() {
				item["note"] = strings.Repeat("x", 300<<10)
			}
		}), code: "PAYLOAD_REJECTED", says: "DOUBTFUL_JSON"},
		{name: "nothing but new members", long: true, change: func(a *answer) {
			for _, item := range a.items() {
				item["new_member"] = map[string]any{"x": []any{1, nil, "2"}}
			}
		}},
	}
}

// renamedList returns the answer with its items in another member.
func renamedList(a *answer) []byte {
	body := a.body
	if a.wire.list != "" {
		body = a.body.(map[string]any)[a.wire.list]
	}
	text, _ := json.Marshal(map[string]any{"success": 1, "items": body})
	return text
}

// Whatever a provider sends one day, the publication stays as it is, and the failure or the
// counters of the cycle name the fault. The next good cycle renews everything.
func TestBadInput(t *testing.T) {
	eachProvider(t, someFixtures, func(t *testing.T, a *account) {
		before := a.cycle(func(*answer) {})
		if before.err != nil || len(before.content) < 4 {
			t.Fatalf("%d fixtures, %v", len(before.content), before.err)
		}
		for _, c := range badInputs() {
			if slices.Contains(c.not, a.wire.provider) || c.long && testing.Short() {
				continue
			}
			if c.ofFeed != "" && a.wire.provider == "feed:simulated" {
				c.code = c.ofFeed
			}
			o := a.cycle(c.change)
			if (o.err != nil) != (c.code != "") || o.err != nil && o.code() != c.code {
				t.Errorf("%s: code %q, want %q: %v", c.name, o.code(), c.code, o.err)
			}
			if !slices.ContainsFunc(strings.Split(c.says, "|"), func(says string) bool { return strings.Contains(fmt.Sprint(o.err), says) || o.counted[says] > 0 }) {
				t.Errorf("%s: %q is not named: %v, %v", c.name, c.says, o.err, o.counted)
			}
			if o.publish.Removed > 0 {
				t.Errorf("%s: %d fixtures removed", c.name, o.publish.Removed)
			}
			if diff := cmp.Diff(before.content, o.content); diff != "" {
				t.Fatalf("%s: the publication is different (-before +after)\n%.1500s", c.name, diff)
			}
		}
		if o := a.cycle(func(*answer) {}); o.err != nil || o.publish.Carried > 0 || !maps.Equal(before.content, o.content) {
			t.Errorf("the provider is well again: %+v, %v", o.publish, o.err)
		}
	})
}

// The faults of the simulator have the same outcome at every provider: a failure with its
// code, or a publication without a removal.
func TestFaultsOfEveryProvider(t *testing.T) {
	eachProvider(t, someFixtures, func(t *testing.T, a *account) {
		before := a.cycle(nil)
		check.Must(t, before.err)
		limited := "RATE_LIMITED"
		if a.wire.provider == "feed:simulated" { // its contract has no such body
			limited = "PAYLOAD_REJECTED"
		}
		for _, c := range []struct{ fault, code string }{
			{fault: "500:1", code: "PROVIDER_UNREACHABLE"},
			{fault: "503:1@markets", code: "PROVIDER_UNREACHABLE"},
			{fault: "reset:1", code: "PROVIDER_UNREACHABLE"},
			{fault: "truncated:1", code: "PROVIDER_UNREACHABLE"},
			{fault: "html:1", code: "PROVIDER_UNREACHABLE"},
			{fault: "empty:1", code: "PROVIDER_UNREACHABLE"},
			{fault: "429-bare:1", code: "RATE_LIMITED"},
			{fault: "429-body:1", code: limited},
			{fault: "429-body:1@markets", code: limited},
			{fault: "credential:#2+", code: "CREDENTIAL_REJECTED"},
			{fault: "permission:1@markets", code: "PERMISSION_DENIED"},
			{fault: "wrong:1@listing", code: "PAYLOAD_REJECTED"},
			{fault: "wrong:1@markets", code: "PAYLOAD_REJECTED"},
			{fault: "bomb:1", code: "PAYLOAD_REJECTED"},
			{fault: "nested:1", code: "PAYLOAD_REJECTED"},
			{fault: "redirect:1", code: "PAYLOAD_REJECTED"},
			{fault: "500:#2"}, {fault: "reset:#2"}, {fault: "truncated:#2"}, {fault: "html:#2"}, {fault: "empty:#2"}, {fault: "duplicate:1"},
			{fault: "429-bare:#2+@markets"},
		} {
			a.answers.provider = a.emulator(c.fault)
			o := a.cycle(nil)
			if (o.err != nil) != (c.code != "") || o.err != nil && o.code() != c.code {
				t.Errorf("%s: code %q, want %q: %v", c.fault, o.code(), c.code, o.err)
			}
			if diff := cmp.Diff(before.content, o.content); diff != "" || o.publish.Removed > 0 {
				t.Fatalf("%s: %+v: the publication is different (-before +after)\n%.1500s", c.fault, o.publish, diff)
			}
		}
	})
}

// If the quota ends in the middle of a cycle, the fetched fixtures are published. The others are
// carried over with their own age.
func TestQuotaEndsInTheMiddle(t *testing.T) {
	eachProvider(t, 60, func(t *testing.T, a *account) {
		before := a.cycle(nil)
		check.Must(t, before.err)
		a.answers.provider = a.emulator("429-bare:#2+@markets")
		o := a.cycle(nil)
		p := o.publish
		if o.err != nil || o.code() != "RATE_LIMITED" || p.Refreshed == 0 || p.Carried == 0 || p.Removed > 0 || p.Refreshed+p.Carried+p.WithoutMarkets != len(before.content) {
			t.Errorf("%q %v: %+v", o.code(), o.err, p)
		}
		before.samePublication(t, o)
	})
}

// A provider that answers every page with the first one, of many by its account, does not cost the
// quota.
func TestPageThatRepeats(t *testing.T) {
	eachProvider(t, someFixtures, func(t *testing.T, a *account) {
		before := a.cycle(func(*answer) {})
		check.Must(t, before.err)
		a.answers.request = func(r *http.Request) {
			if q := r.URL.Query(); q.Has("page") {
				q.Set("page", "1")
				r.URL.RawQuery = q.Encode()
			}
		}
		o := a.cycle(func(a *answer) {
			body, _ := a.body.(map[string]any)
			for member, many := range map[string]map[string]any{"pager": {"total": 5000}, "pagination": {"has_more": true}, "paging": {"total": 90}} {
				if page, has := body[member].(map[string]any); has && (member != "paging" || a.class == "markets") {
					maps.Copy(page, many)
				}
			}
		})
		if most := 2*before.fetch.Requests + 20; o.err != nil || o.fetch.Requests > most || o.publish.Removed > 0 {
			t.Errorf("%d requests, want at most %d; %+v, %v", o.fetch.Requests, most, o.publish, o.err)
		}
		before.samePublication(t, o)
	})
}

// Teams with names in other scripts are read as all others: the list and the markets write
// them alike, and nothing else matters.
func TestNamesInOtherScripts(t *testing.T) {
	scripts := []string{"ЦСКА Москва", "الأهلي المصري", "上海申花", "Tie\u0302\u0301n Linh Hà Nội", "הפועל תל אביב", strings.Repeat("Долгое Имя ", 6) + "Клуб"}
	eachProvider(t, someFixtures, func(t *testing.T, a *account) {
		names := map[string]string{}
		before := a.cycle(func(a *answer) {
			for _, item := range a.items() {
				for _, team := range []func(map[string]any) (map[string]any, string){a.home, a.away} {
					object, key := team(item)
					if name, ok := object[key].(string); ok && a.class == "list" && names[name] == "" {
						names[name] = fmt.Sprintf("%s %c", scripts[len(names)%len(scripts)], 'А'+rune(len(names)/len(scripts)))
					}
				}
			}
		})
		check.Must(t, before.err)
		var pairs []string
		for name, other := range names {
			pairs = append(pairs, name, other)
		}
		replace := strings.NewReplacer(pairs...)
		after := a.cycle(func(a *answer) {
			text, _ := json.Marshal(a.body)
			a.raw = []byte(replace.Replace(string(text)))
		})
		if after.err != nil || after.transform.Mapped != before.transform.Mapped || after.transform.Publishable != before.transform.Publishable || after.publish.Removed > 0 {
			t.Errorf("%d of %d markets mapped, %d of %d selections publishable; %v", after.transform.Mapped, before.transform.Mapped,
				after.transform.Publishable, before.transform.Publishable, after.err)
		}
		published := func(o outcome, name string) bool {
			return strings.Contains(strings.Join(slices.Collect(maps.Values(o.content)), ""), `"`+name+`"`)
		}
		for name, other := range names {
			if published(before, name) && !published(after, other) {
				t.Errorf("%s is not published as it was sent", other)
			}
		}
	})
}

// Every provider has the tests of this file.
func TestEveryProviderHasAWire(t *testing.T) {
	for _, name := range emulators.Names() {
		if !slices.ContainsFunc(wires, func(w wire) bool { return w.provider == name }) {
			t.Errorf("%s: add its format to wires, so that bad input is tested", name)
		}
	}
}
