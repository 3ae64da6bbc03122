package realtime

import (
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/feed"
)

var must = check.Must

func TestOnePacketForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, live := servetest.NewRoot(t, dir, "acme"), servetest.NewLiveRoot(t, dir, "acme")
	root.PublishNext(250, 1)
	live.Publish(servetest.LiveSamples("acme", 3, 1, servetest.Start))
	l, err := reader.Open(reader.Options{DataDir: dir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine, football.LiveIntelligence}})
	must(t, err)
	defer l.Close()
	view := func(p football.Product) *reader.View {
		d := l.Tenant("acme").Dataset(p)
		d.Refresh(t.Context())
		v := d.Acquire()
		t.Cleanup(v.Release)
		return v
	}
	tenant := &tenant{clientID: "acme"}
	page := func(after uint64) page {
		v := view(football.MarketEngine)
		p, err := tenant.page(position{v.Commit().HistoryID, after}, v)
		must(t, err)
		return p
	}
	first, rest := page(0), page(200)
	if page(0).packet != first.packet || page(200).packet != rest.packet {
		t.Error("a page is made twice")
	}
	if first.last != 200 || !first.more || rest.last != 250 || rest.more || page(10).last != 210 {
		t.Errorf("pages: %+v, %+v", first, rest)
	}
	root.PublishNext(5, 1)
	if p := page(0); p.packet != first.packet || !p.more {
		t.Error("a full page was made again")
	}
	if p := page(200); p.packet == rest.packet || p.last != 255 {
		t.Errorf("a page that was not full hides later events: %+v", p)
	}
	stale := feed.Fresh
	snapshot := func() any {
		v := view(football.LiveIntelligence)
		return tenant.livePacket(v, liveState{v.Commit().SHA256, stale}, time.Now())
	}
	before := snapshot()
	if snapshot() != before {
		t.Error("a snapshot is rendered twice")
	}
	if stale = feed.Stale; snapshot() == before || snapshot() != snapshot() {
		t.Error("the packet of a stale feed is the old one, or was rendered twice")
	}
	stale = feed.Fresh
	live.Publish(servetest.LiveSamples("acme", 3, 2, servetest.Start))
	if snapshot() == before {
		t.Error("the packet of the next snapshot is the old one")
	}
}
