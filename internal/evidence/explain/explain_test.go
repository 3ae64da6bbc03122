package explain_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/evidence/explain"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func explained(w *dataroot.Root, at snapshot.Moment, id string) (*explain.Report, error) {
	target, err := explain.ParseTarget(id)
	check.Must(w, err)
	return explain.Run(w.Context(), explain.Options{Tenant: "acme", Product: w.Product, Root: w.Mem, At: at, Provider: all.Lookup}, target)
}

func everything(w *dataroot.Root) (ids []string) {
	for _, f := range dataroot.Rows[table.FixtureRow](w, layout.FixturesFile) {
		ids = append(ids, f.FixtureID)
		for _, m := range dataroot.Rows[table.MarketRow](w, layout.MarketsFile) {
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

// TestMarkets explains every id of a snapshot. The golden file was read and checked by a person.
func TestMarkets(t *testing.T) {
	w := dataroot.Markets(t)
	var b strings.Builder
	for _, id := range everything(w) {
		r, err := explained(w, snapshot.Newest, id)
		check.Must(t, err)
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
	for _, c := range r.Changes {
		fmt.Fprintf(b, "  since v%d %s: present %v, %s %s %s, absent %v\n", c.Version, c.PublishedAt.Format("15:04:05"), c.Present, text(c.Decimal), text(c.Fractional), text(c.Line), c.Absent)
	}
	for _, s := range r.Steps {
		fmt.Fprintf(b, "  %s %s %v: %s\n", s.FetchedAt.Format("15:04:05"), s.Clock, s.Moved, s.Gave)
	}
	for _, s := range r.Sources {
		fmt.Fprintf(b, "  %s#%d %s %s %s %s\n", s.Cycle, s.Response, s.Endpoint, s.FetchedAt.Format(time.RFC3339), s.File, s.Member)
	}
}

func text(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// TestLastChanges: a price's changes are those of the steps, up to the publication, and where there are
// only snapshots, or the steps are damaged, the explanation says so.
func TestLastChanges(t *testing.T) {
	w := dataroot.New(t, football.MarketEngine)
	page := dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal"))
	offer := func(odds string) string { return strings.Replace(dataroot.Offered, "1.90", odds, 1) }
	for i, odds := range []string{"2.10", "2.15", "2.15", "2.20", "2.20"} {
		w.Cycle(time.Duration(i)*time.Hour, nil, page, dataroot.Offer("9001", offer(odds)))
	}
	id := ""
	for _, m := range dataroot.Rows[table.MarketRow](w, layout.MarketsFile) {
		for _, s := range m.Selections {
			if text(s.OddsDecimalText) == "2.20" && id == "" {
				id = s.SelectionID
			}
		}
	}
	changes := func(at string) (words []string) {
		moment, err := snapshot.ParseMoment(at, time.Time{})
		check.Must(t, err)
		r, err := explained(w, moment, id)
		check.Must(t, err)
		for _, c := range r.Changes {
			words = append(words, fmt.Sprintf("%s v%d", text(c.Decimal), c.Version))
		}
		return append(words, r.Notes...)
	}
	for at, want := range map[string][]string{"v5": {"2.20 v4", "2.15 v2", "2.10 v1"}, "v3": {"2.15 v2", "2.10 v1"}, "v1": {"2.10 v1"}} {
		if diff := cmp.Diff(want, changes(at)); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
	}
	c, err := snapshot.Resolve(w.Mem, "v5")
	check.Must(t, err)
	m, err := snapshot.Open(w.Mem, c)
	check.Must(t, err)
	check.Must(t, w.Mem.Remove(m.Steps[len(m.Steps)-1].File))
	if got := changes("v5"); len(got) != 1 || !strings.Contains(got[0], "not known") {
		t.Errorf("the steps are damaged: %q", got)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		check.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", file, diff)
	}
}

// TestDeletedByRetention: a note names the data that retention deleted, and nothing is invented in its
// place.
func TestDeletedByRetention(t *testing.T) {
	w := dataroot.Markets(t)
	ids := everything(w)
	cycles, err := raw.Between(w.Mem, time.Time{}, time.Time{})
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(layout.Cycle(layout.RawDir, cycles[0])))
	collected, err := json.MarshalIndent(retention.Watermarks{Format: retention.Format, Raw: &retention.Watermark{Before: cycles[1]}}, "", "  ")
	check.Must(t, err)
	for _, why := range []string{"retention did not delete them", "retention.cycle_age"} { // first retention did not record it, then it did
		r, err := explained(w, snapshot.Newest, ids[len(ids)-1]) // of the fixture that was carried over
		check.Must(t, err)
		if r.Complete || len(r.Sources) > 0 || len(r.Notes) == 0 || !strings.Contains(strings.Join(r.Notes, ";"), why) {
			t.Errorf("the payloads are gone, want %s: %+v", why, r)
		}
		for _, v := range r.Values { // the mapping table is still known
			if strings.Contains(v.Rule, "no such line") {
				t.Errorf("%s: %s", v.Field, v.Rule)
			}
		}
		check.Must(t, durable.Overwrite(w.Mem, layout.Collected, append(collected, '\n')))
	}
	c, err := snapshot.Resolve(w.Mem, "v1")
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(c.Dir()))
	at, err := snapshot.ParseMoment("v1", time.Time{})
	check.Must(t, err)
	if _, err := explained(w, at, ids[0]); !errors.Is(err, explain.ErrDeleted) {
		t.Errorf("the snapshot is gone: %v", err)
	}
	if _, err := explained(w, snapshot.Newest, "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"); !errors.Is(err, explain.ErrUnknown) {
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
	for _, bad := range []string{"", "/", "fx_", "fx_A", fx + "/minute", fx + "/minute/0", fx + "/minute/x", fx + "/nothing", fx + "/counter", fx + "/counter/", fx + "/counter/corner", mk + "/momentum",
		fx + "/" + sl, sl + "/" + fx, fx + "/score/1", fx + "//"} {
		if _, err := explain.ParseTarget(bad); err == nil && bad != fx+"//" {
			t.Errorf("%q is understood", bad)
		}
	}
}

// FuzzParseTarget: any target is parsed, or refused in one line.
func FuzzParseTarget(f *testing.F) {
	const fx = "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, s := range []string{fx, "mk_bbbbbbbbbbbbbbbbbbbbbbbbbb~cdefghij", fx + "/momentum", fx + "/minute/37", fx + "/timeline", "fx_", "/", fx + "//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := explain.ParseTarget(s)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// A kick-off that the list moved after the fixture was refreshed is explained by that list, for a match that
// has begun earlier than it was listed before.
func TestKickOffThatMoved(t *testing.T) {
	w := dataroot.New(t, football.MarketEngine)
	item := dataroot.Listed("9001", "Fulham", "Arsenal")
	begun := regexp.MustCompile(`"time":"\d+"`).ReplaceAllString(item, `"time":"1795161000"`)
	begun = strings.Replace(begun, `"time_status":"0"`, `"time_status":"1"`, 1)
	if begun == item || !strings.Contains(begun, `"time_status":"1"`) {
		t.Fatal(item)
	}
	w.Cycle(0, nil, dataroot.Listing(item), dataroot.Offer("9001", dataroot.Offered))
	for i := range 2 {
		w.Cycle(time.Duration(i+1)*time.Hour, nil, dataroot.Listing(begun))
	}
	fixture := dataroot.Rows[table.FixtureRow](w, layout.FixturesFile)[0]
	if want := time.Unix(1795161000, 0); !fixture.StartsAt.Equal(want) || fixture.MarketCount == 0 {
		t.Fatalf("%+v, want the kick-off %s", fixture, want)
	}
	r, err := explained(w, snapshot.Newest, fixture.FixtureID)
	check.Must(t, err)
	for _, v := range r.Values {
		if v.Field == "starts_at" && (len(v.From) != 1 || v.From[0].Text != `"1795161000"` || v.From[0].Cycle != r.Publication.CycleID) {
			t.Errorf("%+v", v)
		}
	}
	if !r.Complete || !strings.Contains(strings.Join(r.Notes, "\n"), "it moved after the fixture was refreshed") {
		t.Errorf("complete %t, notes %q", r.Complete, r.Notes)
	}
}
