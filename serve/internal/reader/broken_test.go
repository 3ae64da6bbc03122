package reader

import (
	"testing"

	"mkt/internal/check"
	"mkt/publish/football"
	"mkt/serve/internal/servetest"
)

var must = check.Must

func TestBrokenEngineIsReplaced(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.PublishNext(3, 2)
	l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine}})
	must(t, err)
	defer l.Close()
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	d.Refresh(t.Context())
	first := d.Acquire()
	defer first.Release()
	d.Refresh(t.Context())
	if again := d.Acquire(); again != first {
		t.Error("an intact engine was replaced")
	} else {
		again.Release()
	}
	first.engine.broken.Store(true)
	d.Refresh(t.Context())
	second := d.Acquire()
	defer second.Release()
	if second == first || second.engine.broken.Load() || second.Commit().SHA256 != first.Commit().SHA256 {
		t.Error("a broken engine was not replaced")
	}
}
