package transform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/providertest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/payloads"
	"mkt/transform"
)

// account is fetched and transformed again and again, on the clock of a simulated provider whose answers a test
// can change.
type account struct {
	*testing.T
	provider provider.Provider
	product  football.Product
	sim      *simulator.Server
	token    string
	now      time.Time
	mem      *durabletest.Mem
	resume   string
	edit     func(endpoint string, answer any) any // changes an answer; nil changes none
	cycle    func(*raw.Cycle)
	last     transform.Summary
}

func newAccount(t *testing.T, name string, product football.Product, o simulator.Options) *account {
	of, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	a := &account{T: t, provider: of, product: product, now: time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC), mem: newMem()}
	o.Now, o.Quota = func() time.Time { return a.now }, 1<<20
	sim, err := emulators.New(name, o)
	must(t, err)
	a.sim, a.token = sim, sim.Tokens()[0]
	return a
}

// ServeHTTP answers as the emulator, with the answers changed by edit.
func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answered := httptest.NewRecorder()
	a.sim.ServeHTTP(answered, r)
	body := answered.Body.Bytes()
	if a.edit != nil && answered.Code == http.StatusOK {
		var v any
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		must(a, d.Decode(&v))
		var err error
		body, err = json.Marshal(a.edit(r.URL.Path, v))
		must(a, err)
	}
	for name, values := range answered.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answered.Code)
	_, _ = w.Write(body)
}

func (a *account) id() layout.CycleID { return layout.NewCycleID(a.now, string(a.product)) }

// try runs a cycle.
func (a *account) try() error {
	a.Helper()
	out, err := raw.Create(a.mem, a.id(), nil)
	must(a, err)
	x := &providertest.Exchange{Adapter: a.provider, Handler: a, Token: a.token, Clock: func() time.Time { return a.now }, Archive: out}
	var asked provider.Asked
	if a.product == football.MarketEngine {
		asked, err = a.provider.Markets.Ask(a.Context(), x)
	} else {
		asked, err = a.provider.Live.Ask(a.Context(), x, a.resume)
	}
	must(a, err)
	a.resume = asked.Resume
	header := raw.Cycle{ClientID: "acme", Product: a.product, Provider: a.provider.Name, StartedAt: a.now, FinishedAt: a.now, Outcome: raw.Complete,
		ListingComplete: asked.ListingComplete, NotOffered: asked.NotOffered, Failed: asked.Failed, Resume: asked.Resume}
	if a.cycle != nil {
		a.cycle(&header)
	}
	_, err = out.Seal(header)
	must(a, err)
	o := options(a.mem, a.mem)
	o.Product, o.Now = a.product, func() time.Time { return a.now.Add(time.Second) }
	a.last, err = transform.Run(a.Context(), o)
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
		entries, _ := a.mem.ReadDir(dir)
		for _, e := range entries {
			if id, ok := layout.ParseCycleDir(e.Name()); ok && id < layout.NewCycleID(a.now.Add(-90*time.Minute), string(a.product)) {
				must(a, a.mem.RemoveAll(dir+"/"+e.Name()))
			}
		}
	}
	return err
}

// quiet runs cycles for that long, and none may find a change.
func (a *account) quiet(length, every time.Duration) {
	a.Helper()
	for end := a.now.Add(length); a.now.Before(end); a.now = a.now.Add(every) {
		must(a, a.try())
		if r := a.report(); len(r.Changes) > 0 {
			a.Fatalf("%s: %s", a.id(), told(r))
		}
	}
}

func (a *account) report() payloads.Report {
	a.Helper()
	r, err := payloads.Read(a.mem)
	must(a, err)
	return r
}

// told writes a report in a few words.
func told(r payloads.Report) string {
	var all []string
	for _, c := range r.Changes {
		all = append(all, fmt.Sprintf("%s %s %s %d/%d since %s", c.Kind, c.Answers, c.Name, c.Has, c.Of, c.Since.Format("02 15:04")))
	}
	return fmt.Sprintf("%d markets of %d fixtures lost: %s", r.LostMarkets, r.LostFixtures, strings.Join(all, "; "))
}

// only leaves one market in an answer of betsapi.
func only(market string) func(string, any) any {
	return func(_ string, answer any) any {
		each(answer, func(o map[string]any) {
			if sp, ok := o["sp"].(map[string]any); ok {
				maps.DeleteFunc(sp, func(key string, _ any) bool { return key != market })
			}
		})
		return answer
	}
}

// Providers whose answers are always of one form are quiet: with few fixtures and many, of which some come and go, and with
// nights without matches in play.
func TestQuietProviders(t *testing.T) {
	type quiet struct {
		product football.Product
		options simulator.Options
		every   time.Duration
		edit    func(string, any) any
	}
	for _, name := range emulators.Names() {
		of, _ := all.Lookup(name)
		cases := map[string]quiet{"12 fixtures": {product: football.MarketEngine, options: simulator.Options{Fixtures: 12}, every: 4 * time.Hour}}
		if !testing.Short() {
			cases["80 fixtures"] = quiet{product: football.MarketEngine, options: simulator.Options{Fixtures: 80}, every: 4 * time.Hour}
		}
		if of.Live != nil {
			cases["no matches in play but the listed ones"] = quiet{product: football.LiveIntelligence, options: simulator.Options{Fixtures: 12, InPlay: -1}, every: 20 * time.Minute}
			cases["live"] = quiet{product: football.LiveIntelligence, options: simulator.Options{Fixtures: 60}, every: 30 * time.Minute}
		}
		if name == emulators.Default() {
			cases["one market"] = quiet{football.MarketEngine, simulator.Options{Fixtures: 12}, 4 * time.Hour, only("full_time_result")}
		}
		for what, c := range cases {
			t.Run(name+" "+what, func(t *testing.T) {
				length := 80 * time.Hour
				if !testing.Short() {
					length = 9 * 24 * time.Hour
				}
				c.options.Seed = 5
				a := newAccount(t, name, c.product, c.options)
				a.edit = c.edit
				a.quiet(length, c.every)
			})
		}
	}
}

// each calls do with every object in an answer.
func each(v any, do func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		do(v)
		for _, one := range v {
			each(one, do)
		}
	case []any:
		for _, one := range v {
			each(one, do)
		}
	}
}

// rename renames a member of every object that has another one; "" is any object.
func rename(beside, from, to string) func(string, any) any {
	return func(_ string, answer any) any {
		each(answer, func(o map[string]any) {
			if _, there := o[beside]; !there && beside != "" {
				return
			}
			if v, there := o[from]; there {
				delete(o, from)
				if to != "" {
					o[to] = v
				}
			}
		})
		return answer
	}
}

// offer adds a market of a new name to one in n fixtures of betsapi.
func offer(n int) func(string, any) any {
	return func(_ string, answer any) any {
		each(answer, func(o map[string]any) {
			id, _ := o["FI"].(string)
			section, _ := o["main"].(map[string]any)
			number, _ := strconv.Atoi(id)
			if sp, ok := section["sp"].(map[string]any); ok && number/10%n == 0 {
				sp["shirt_numbers"] = map[string]any{"id": "999", "name": "Shirt Numbers", "odds": []any{map[string]any{"id": "1" + id, "odds": "1.90", "name": "Over 20.5"}}}
			}
		})
		return answer
	}
}

// retitle gives a market another name and id, wherever they stand together.
func retitle(name, title, id string) func(string, any) any {
	return func(_ string, answer any) any {
		each(answer, func(o map[string]any) {
			for _, member := range []string{"name", "market_description"} { // by the id, if it is beside the name

				if o[member] == name {
					o[member] = title
					for _, ids := range []string{"id", "market_id"} {
						if old, there := o[ids]; there && member != "name" == (ids == "market_id") {
							_, isText := old.(string)
							o[ids] = json.Number(id)
							if isText {
								o[ids] = id
							}
						}
					}
				}
			}
		})
		return answer
	}
}

// A member that is renamed, removed or moved, and a market with a new name, are found in the second cycle that shows
// it, also if too much of the cycle cannot be read; in play, after an hour. The lost markets were counted in the tables.
func TestChangedPayloads(t *testing.T) {
	type change struct {
		edit func(endpoint string, answer any) any
		want string // kind, endpoint and name of some
		lost [2]int // at least and at most, markets
	}
	for _, of := range []struct {
		provider string
		product  football.Product
		changes  map[string]change
	}{
		{"betsapi", football.MarketEngine, map[string]change{
			"section renamed":           {rename("FI", "goals", "goal_markets"), "field_gone bet365/prematch results.goals; field_new bet365/prematch results.goal_markets", [2]int{}}, // every section is read
			"section removed":           {rename("FI", "goals", ""), "field_gone bet365/prematch results.goals", [2]int{290, 430}},
			"market renamed":            {rename("", "alternative_total_goals", "more_total_goals"), "market_gone  alternative_total_goals; market_new  more_total_goals", [2]int{20, 30}},
			"prices renamed":            {rename("header", "odds", "price"), "field_gone bet365/prematch results.asian_lines.sp.*.odds.odds", [2]int{1000, 2000}},
			"kick-offs renamed":         {rename("time_status", "time", "starts"), "field_gone bet365/upcoming results.time; field_new bet365/upcoming results.starts", [2]int{}},
			"market in a third":         {offer(3), "market_new  shirt_numbers", [2]int{}},
			"market of one odd fixture": {offer(40), "", [2]int{}},
		}},
		{"theoddsapi", football.MarketEngine, map[string]change{
			"lines renamed": {rename("price", "point", "line"), "field_gone odds bookmakers.markets.outcomes.point; field_new odds bookmakers.markets.outcomes.line", [2]int{140, 190}},
			"keys renamed":  {rename("outcomes", "key", "market"), "field_gone odds bookmakers.markets.key; field_new odds bookmakers.markets.market", [2]int{250, 400}},
		}},
		{"apifootball", football.MarketEngine, map[string]change{
			"time zones moved": {move("response", "fixture", "timezone"), "field_gone fixtures response.fixture.timezone; field_new fixtures response.timezone", [2]int{}},
			"market renamed":   {retitle("Goals Over/Under", "Total of Goals", "4711"), "market_gone  Goals Over/Under; market_new  Total of Goals", [2]int{30, 45}},
		}},
		{"sportmonks", football.MarketEngine, map[string]change{
			"totals renamed": {rename("market_id", "total", "line"), "field_gone fixtures/multi data.odds.total; field_new fixtures/multi data.odds.line", [2]int{45, 70}},
			"market renamed": {retitle("Full Time Result", "Winner", "4711"), "market_gone  Full Time Result; market_new  Winner", [2]int{20, 30}},
		}},
		{"feed:simulated", football.MarketEngine, map[string]change{
			"claims removed": {rename("selections", "claim", ""), "field_gone markets fixtures.markets.claim", [2]int{1600, 2400}},
		}},
		{"betsapi", football.LiveIntelligence, map[string]change{
			"attacks renamed":    {rename("", "dangerous_attacks", "attacks_dangerous"), "field_gone events/inplay results.stats.dangerous_attacks; field_new events/inplay results.stats.attacks_dangerous", [2]int{}},
			"statistics renamed": {rename("", "stats", "statistics"), "field_gone events/inplay results.stats", [2]int{8, 16}},
		}},
		{"sportmonks", football.LiveIntelligence, map[string]change{
			"statistics renamed": {rename("", "statistics", "stats"), "field_gone livescores/inplay data.statistics; field_new livescores/inplay data.stats", [2]int{8, 16}},
		}},
	} {
		t.Run(of.provider+" "+string(of.product), func(t *testing.T) {
			a := newAccount(t, of.provider, of.product, simulator.Options{Seed: 5, Fixtures: 24})
			every := 6 * time.Hour
			if of.product == football.LiveIntelligence {
				every = 2 * time.Hour
			}
			a.quiet(77*time.Hour, every)
			known, err := durable.ReadFile(a.mem, week, 1<<20)
			must(t, err)
			for _, name := range slices.Sorted(maps.Keys(of.changes)) {
				want := of.changes[name]
				must(t, health.OverwriteState(a.mem, week, known))
				a.edit = want.edit
				_ = a.try()
				if r := a.report(); len(r.Changes) > 0 {
					t.Errorf("%s: after one cycle: %s", name, told(r))
				}
				a.now = a.now.Add(time.Hour)
				_ = a.try()
				a.now = a.now.Add(time.Hour)
				r := a.report()
				t.Log(name, told(r))
				for _, one := range strings.Split(want.want, "; ") {
					if !strings.Contains(told(r), one) || want.want == "" && len(r.Changes) > 0 {
						t.Errorf("%s: lacks %q: %s", name, one, told(r))
					}
				}
				if r.LostMarkets < want.lost[0] || r.LostMarkets > want.lost[1] {
					t.Errorf("%s: want %d lost markets: %s", name, want.lost, told(r))
				}
				a.edit = nil
				_ = a.try()
				a.now = a.now.Add(time.Hour)
				if r := a.report(); len(r.Changes) > 0 {
					t.Errorf("%s: it came back: %s", name, told(r))
				}
			}
		})
	}
}

const week = "state/payload_week.json"

// move moves a member one object up.
func move(list, object, member string) func(string, any) any {
	return func(_ string, answer any) any {
		each(answer, func(o map[string]any) {
			items, _ := o[list].([]any)
			for _, item := range items {
				outer, _ := item.(map[string]any)
				if inner, ok := outer[object].(map[string]any); ok && inner[member] != nil {
					outer[member] = inner[member]
					delete(inner, member)
				}
			}
		})
		return answer
	}
}

// A cycle is observed once, one in ten minutes, and neither again nor when it is rebuilt. The number of workers does not matter.
func TestObservedCycles(t *testing.T) {
	a := newAccount(t, "betsapi", football.MarketEngine, simulator.Options{Seed: 5, Fixtures: 24})
	a.now = time.Date(2026, 11, 20, 9, 10, 0, 0, time.UTC)
	seen := func() string {
		data, err := durable.ReadFile(a.mem, week, 1<<20)
		must(t, err)
		return string(data)
	}
	must(t, a.try())
	first := seen()
	again := options(a.mem, a.mem)
	again.Cycle = a.last.Cycle
	_, err := transform.Run(t.Context(), again)
	must(t, err)
	a.now = a.now.Add(9 * time.Minute)
	must(t, a.try())
	if seen() != first {
		t.Error("a second cycle in ten minutes was observed")
	}
	a.now = a.now.Add(time.Minute)
	must(t, a.try())
	second := seen()
	if second == first {
		t.Error("a cycle ten minutes later was not observed")
	}
	for name, run := range map[string]func(transform.Options) error{
		"rebuilt": func(o transform.Options) error { _, err := transform.Rebuild(t.Context(), o, nil); return err },
		"by one worker": func(o transform.Options) error {
			o.Workers = 1
			must(t, health.OverwriteState(a.mem, week, []byte(first)))
			_, err := transform.Run(t.Context(), o)
			return err
		},
	} {
		must(t, a.mem.RemoveAll(layout.Cycle(layout.CanonicalDir, a.last.Cycle)))
		o := options(a.mem, a.mem)
		o.Cycle = a.last.Cycle
		must(t, run(o))
		if seen() != second {
			t.Errorf("%s: it is another file", name)
		}
	}
}
