package transform_test

import (
	"bytes"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// TestRetraceLive: the steps of every fixture of a simulated quarter of an hour,
// taken once more, end in the very state that the pipeline kept, from the first
// sample and from a state in between; and every counter of every sample stands in
// the payload where the trace says.
func TestRetraceLive(t *testing.T) {
	s := newSeason(t, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14})
	ticks := 80
	if testing.Short() {
		ticks = 20
	}
	for range ticks {
		s.now = s.now.Add(8 * time.Second)
		s.tick()
	}
	cycles, err := raw.Between(s.mem, time.Time{}, time.Time{})
	must(t, err)
	newest := cycles[len(cycles)-1]
	everyone := seasonRows[table.LiveStateRow](s, layout.LiveStatesFile)
	if len(everyone) < 5 {
		t.Fatalf("only %d fixtures", len(everyone))
	}
	digits := 0
	for i, row := range everyone {
		o := transform.LiveOptions{Root: s.mem, Provider: betsapi.Provider(), Fixture: row.ProviderFixtureID, Event: *row.ProviderEventID, Cycles: cycles}
		if i%2 == 1 { // from a state in between
			from := len(cycles) / 2
			begin, found, err := transform.LiveBegins(s.mem, cycles[from], func(r *table.LiveStateRow) bool { return r.FixtureID == row.FixtureID })
			must(t, err)
			if found {
				o.From, o.Cycles = &begin, cycles[from+1:]
			}
		}
		steps, err := transform.RetraceLive(t.Context(), o)
		must(t, err)
		last := steps[len(steps)-1]
		if got := last.After.Encode(nil); last.Cycle != newest || !bytes.Equal(got, row.State) {
			t.Errorf("fixture %s: ends in %s with another state than was kept", row.ProviderFixtureID, last.Cycle)
		}
		for _, step := range steps[max(0, len(steps)-5):] {
			digits += holdsCounters(t, s, &step)
		}
	}
	if digits < 100 {
		t.Errorf("only %d counters were looked up", digits)
	}
}

// holdsCounters looks every counter of a step's sample up in its payload.
func holdsCounters(t *testing.T, s *season, step *transform.LiveStep) (n int) {
	if step.Sample == nil {
		return 0
	}
	a, err := raw.Open(s.mem, step.Cycle)
	must(t, err)
	body, err := a.Body(step.Listed.Response)
	must(t, err)
	tree := providertest.NewTree(body)
	found := map[string]provider.Found{}
	for _, f := range step.Listed.Trace.Of(provider.Subject{Fixture: step.Item}) {
		found[f.Field] = f
	}
	for _, c := range step.Sample.Counters {
		f, ok := found[provider.FieldCounter+string(c.Metric)]
		there, err := tree.At(f.Path)
		if !ok || err != nil || there != f.Text {
			t.Errorf("%s %s: %q at %s, %v", step.Item, c.Metric, there, f.Path, err)
			continue
		}
		for _, side := range []football.Field[football.Number]{c.Home, c.Away} {
			number, sent := side.Get()
			if n++; sent && !bytes.Contains([]byte(there), []byte(number.Text())) {
				t.Errorf("%s %s: %s is not in %s", step.Item, c.Metric, number.Text(), there)
			}
		}
	}
	return n
}
