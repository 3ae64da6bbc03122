package publish_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
)

// What a newer version wrote is not damaged: nothing is published on it, nothing is
// rebuilt in its place, and no new history begins.
func TestFormatOfANewerVersion(t *testing.T) {
	base := durabletest.NewMem()
	publishDaily(t, base, 3)
	next := cycle{number: 24 * 4, refreshed: []int{1}, partly: true}
	next.transform(t, base)
	head, _, err := snapshot.Head(base)
	must(t, err)
	for _, name := range []string{
		layout.Commit(head.Version), head.Dir() + "/" + layout.ManifestFile, layout.Current,
		layout.Cycle(layout.CanonicalDir, next.id()) + "/" + layout.CanonicalFile,
	} {
		t.Run(name, func(t *testing.T) {
			f := base.PowerCut(1, 0)
			data, err := durable.ReadFile(f, name, 1<<20)
			must(t, err)
			replace(t, f, name, bytes.Replace(data, []byte(`"format": 1`), []byte(`"format": 99`), 1))
			before := files(t, f, layout.CommitsDir)
			_, err = publish.Run(context.Background(), options(f, next, "run-older"))
			if !errors.Is(err, layout.ErrNewer) || errors.Is(err, snapshot.ErrDamaged) {
				t.Errorf("publish: %v", err)
			}
			o := options(f, next, "run-history")
			o.Now = func() time.Time { return next.at().Add(time.Hour) }
			if _, err := repair.NewHistory(context.Background(), o); name != layout.Cycle(layout.CanonicalDir, next.id())+"/"+layout.CanonicalFile && !errors.Is(err, layout.ErrNewer) {
				t.Errorf("new history: %v", err)
			} else if err != nil {
				if diff := diffFiles(before, files(t, f, layout.CommitsDir)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
