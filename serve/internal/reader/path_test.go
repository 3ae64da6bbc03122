package reader

import (
	"fmt"
	"testing"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/table"
)

// The indexes that are made ahead of requests are those of a tenant's newest segments, and end with the
// one that fills the tenant's share of their memory, so that other tenants keep theirs.
func TestIndexesAheadStayWithinTheShare(t *testing.T) {
	t.Parallel()
	const segments, tenants = 30, 2000
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	f := servetest.Sample("acme", 0, 1, 1)
	price := "1.5"
	for n := range segments {
		root.Publish(servetest.Content{Fixtures: []servetest.Fixture{f}, Events: servetest.Updates([]servetest.Fixture{f}), Steps: []table.StepRow{
			{FixtureID: f.Row.FixtureID, MarketID: f.Markets[0].MarketID, SelectionID: fmt.Sprint("sl_", n), Present: true, OddsDecimalText: &price}}})
	}
	l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine}, Paths: true})
	must(t, err)
	defer l.Close()
	for n := range tenants - 1 {
		l.Tenant(fmt.Sprint("other-", n))
	}
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	d.Refresh(t.Context())
	if got := servedBy(d); got != segments {
		t.Fatalf("version %d is served, want %d", got, segments)
	}
	d.indexing.Lock() // until they are made
	defer d.indexing.Unlock()
	share, made := stepIndexSize.all/tenants, 0
	v := d.Acquire()
	defer v.Release()
	if n := len(v.manifest.Steps); n != segments {
		t.Fatalf("%d segments, want %d", n, segments)
	}
	for _, s := range v.manifest.Steps { // only those in memory can be read from now on
		must(t, root.FS.Remove(s.File))
	}
	for i := range v.manifest.Steps {
		x, err := v.segments.StepIndex(v.manifest.Steps[len(v.manifest.Steps)-1-i])
		switch {
		case err == nil && share <= 0:
			t.Errorf("segment %d, the newest being 0, has an index beyond the share", i)
		case err != nil && share > 0:
			t.Errorf("segment %d has no index, and %d bytes of the share are left: %v", i, share, err)
		}
		if share > 0 && err == nil {
			share, made = share-x.Memory(), made+1
		}
	}
	if made == 0 || made == segments {
		t.Errorf("%d of %d indexes were made", made, segments)
	}
}
