package reader_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/feed"
)

func openLive(t testing.TB, dataDir string) *reader.Dataset {
	t.Helper()
	l := open(t, dataDir, func(o *reader.Options) { o.Products = []football.Product{football.LiveIntelligence} })
	return l.Tenant("acme").Dataset(football.LiveIntelligence)
}

func TestLiveIsPagedByID(t *testing.T) {
	t.Parallel()
	root := servetest.NewLiveRoot(t, t.TempDir(), "acme")
	root.Publish(servetest.LiveSamples("acme", 60, 1, servetest.Start))
	d := openLive(t, root.DataDir)
	d.Refresh(context.Background())
	v := view(t, d)
	var want []string
	for n := range 60 {
		if n%6 != 5 {
			want = append(want, servetest.FixtureID("acme", n))
		}
	}
	slices.Sort(want)
	for _, limit := range []int{1, 7, 49, 50, 51, 200} {
		var got []string
		for after, more := "", true; more; {
			fixtures, rest := v.Live(after, limit)
			for _, f := range fixtures {
				got = append(got, f.ID)
				after = f.ID
			}
			more = rest
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d fixtures, want the %d in play in order", limit, len(got), len(want))
		}
	}
	if v.LiveCount() != len(want) {
		t.Errorf("count %d", v.LiveCount())
	}
	if f, ok := v.FindLive(servetest.FixtureID("acme", 5)); !ok || f.InPlay {
		t.Error("a fixture that left play is missing, or not marked")
	}
	if _, ok := v.FindLive(servetest.FixtureID("other", 1)); ok {
		t.Error("another tenant's fixture is found")
	}
	if v.Staleness(servetest.Start.Add(time.Minute)) != feed.Fresh || v.Staleness(servetest.Start.Add(time.Minute+1)) != feed.AllStale {
		t.Error("the feed is stale too early or too late")
	}
	must(t, reader.Check(t.Context(), root.Path("")))
}

// A snapshot with rows that belong to no fixture is invalid: the one before stays current.
func TestInvalidLiveSnapshot(t *testing.T) {
	t.Parallel()
	root := servetest.NewLiveRoot(t, t.TempDir(), "acme")
	first := root.Publish(servetest.LiveSamples("acme", 6, 1, servetest.Start))
	d := openLive(t, root.DataDir)
	d.Refresh(context.Background())
	bad := servetest.LiveSamples("acme", 6, 2, servetest.Start)
	least := slices.MinFunc(bad, func(a, b servetest.LiveFixture) int { return strings.Compare(a.Row.FixtureID, b.Row.FixtureID) }).Row.FixtureID
	for i := range bad {
		if bad[i].Row.FixtureID == least { // the other tables keep the old id
			bad[i].Row.FixtureID = "fx_" + strings.Repeat("a", 26)
		}
	}
	root.Publish(bad)
	d.Refresh(context.Background())
	if v := view(t, d); v.Commit().SHA256 != first.SHA256 {
		t.Error("an invalid snapshot is served")
	}
	root.Publish(servetest.LiveSamples("acme", 6, 3, servetest.Start))
	d.Refresh(context.Background())
	if v := view(t, d); v.Commit().Version != 3 {
		t.Errorf("version %d is served after a valid one was published", v.Commit().Version)
	}
}

func BenchmarkLiveLoad(b *testing.B) {
	for _, n := range []int{50, 300, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := servetest.NewLiveRoot(b, b.TempDir(), "acme")
			root.Publish(servetest.LiveSamples("acme", n, 1, servetest.Start))
			for b.Loop() {
				must(b, reader.Check(b.Context(), root.Path("")))
			}
		})
	}
}
