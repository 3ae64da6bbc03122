package explain_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

var update = flag.Bool("update", false, "rewrite the goldens")

const offered = `"main":{"updated_at":"1795160000","sp":{
  "full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"11","odds":"1.90","name":"1"},{"id":"12","odds":null,"name":"Draw"},{"id":"13","name":"2"}]},
  "goals_over_under":{"id":"981","name":"Goals Over\/Under","odds":[{"id":"21","odds":"2.50","header":"Over","name":"2.5"},{"id":"22","odds":"one","header":"Under","name":"2.5"},{"id":"23","odds":"9.00","header":"Over","name":"about two"}]},
  "magic_hat":{"id":"77","name":"Magic Hat","odds":[{"id":"31","odds":"3.00","name":"Rabbit"}]}}}`

// markets is a world of two cycles: in the second the first fixture's markets
// could not be had.
func markets(t testing.TB) *world {
	w := newWorld(t, football.MarketEngine)
	page := listing(listed("9001", "Fulham", "Arsenal"), listed("9002", "Nord", "Süd"))
	w.cycle(0, nil, page, sold("9001", offered), sold("9002", `"main":{"sp":{}}`))
	w.cycle(time.Hour, func(c *raw.Cycle) {
		c.Outcome, c.Code, c.Failed = raw.Partial, "PROVIDER_UNREACHABLE", []string{"9001"}
	},
		page, sold("9002", offered))
	return w
}

// everything lists every id of the newest snapshot.
func everything(w *world) (ids []string) {
	for _, f := range rows[table.FixtureRow](w, layout.FixturesFile) {
		ids = append(ids, f.FixtureID)
		for _, m := range rows[table.MarketRow](w, layout.MarketsFile) {
			if m.FixtureID != f.FixtureID {
				continue
			}
			ids = append(ids, m.MarketID)
			for _, s := range m.Selections {
				ids = append(ids, s.SelectionID)
			}
		}
	}
	return ids
}

// TestMarkets explains every id there is, and a person has read the golden.
func TestMarkets(t *testing.T) {
	w := markets(t)
	var b strings.Builder
	for _, id := range everything(w) {
		r, err := w.explain(snapshot.Newest, id)
		must(t, err)
		write(&b, r)
	}
	golden(t, "testdata/markets.txt", b.String())
}

func write(b *strings.Builder, r *explain.Report) {
	fmt.Fprintf(b, "%s %s: %s, from %s, complete %v\n", r.ID, r.Kind, r.Title, r.Cycle, r.Complete)
	for _, n := range r.Notes {
		fmt.Fprintf(b, "  note %s\n", n)
	}
	for _, v := range r.Values {
		fmt.Fprintf(b, "  %s %s %s <- %s\n", v.Field, v.State, v.Value, v.Rule)
		for _, p := range v.From {
			fmt.Fprintf(b, "    #%d %s %s\n", p.Response, p.Path, strings.Join(strings.Fields(p.Text), " "))
		}
	}
	for _, s := range r.Steps {
		fmt.Fprintf(b, "  %s %s %v: %s\n", s.FetchedAt.Format("15:04:05"), s.Clock, s.Moved, s.Gave)
	}
	for _, s := range r.Sources {
		fmt.Fprintf(b, "  %s#%d %s %s %s\n", s.Cycle, s.Response, s.Endpoint, s.FetchedAt.Format(time.RFC3339), s.File)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", file, diff)
	}
}

// TestGone: what retention took is named, and nothing is made up for it.
func TestGone(t *testing.T) {
	w := markets(t)
	ids := everything(w)
	cycles, err := raw.Between(w.mem, time.Time{}, time.Time{})
	must(t, err)
	must(t, w.mem.RemoveAll(layout.Cycle(layout.RawDir, cycles[0])))
	r, err := w.explain(snapshot.Newest, ids[len(ids)-1]) // of the fixture that was carried over
	must(t, err)
	if r.Complete || len(r.Sources) > 0 || len(r.Notes) == 0 || !strings.Contains(strings.Join(r.Notes, ";"), "retention.cycle_age") {
		t.Errorf("the payloads are gone: %+v", r)
	}
	c, err := snapshot.Resolve(w.mem, "v1")
	must(t, err)
	must(t, w.mem.RemoveAll(c.Dir()))
	at, err := snapshot.ParseMoment("v1")
	must(t, err)
	if _, err := w.explain(at, ids[0]); !errors.Is(err, explain.ErrDeleted) {
		t.Errorf("the snapshot is gone: %v", err)
	}
	if _, err := w.explain(snapshot.Newest, "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"); !errors.Is(err, explain.ErrUnknown) {
		t.Errorf("an id that nobody has: %v", err)
	}
}

func TestParseTarget(t *testing.T) {
	const fx, mk, sl = "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa", "mk_bbbbbbbbbbbbbbbbbbbbbbbbbb~cdefghij", "sl_cccccccccccccccccccccccccc"
	for _, good := range []string{fx, mk, sl, fx + "/" + mk, fx + "/" + mk + "/" + sl, fx + "/momentum", fx + "/minute/37", fx + "/minute/37/home",
		fx + "/timeline", fx + "/timeline/3", fx + "/counter/corners", fx + "/score", fx + "/clock"} {
		if _, err := explain.ParseTarget(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "/", "fx_", "fx_A", fx + "/minute", fx + "/minute/0", fx + "/minute/x", fx + "/nothing", fx + "/counter", mk + "/momentum",
		fx + "/" + sl, sl + "/" + fx, fx + "/score/1", fx + "//"} {
		if _, err := explain.ParseTarget(bad); err == nil && bad != fx+"//" {
			t.Errorf("%q is understood", bad)
		}
	}
}
