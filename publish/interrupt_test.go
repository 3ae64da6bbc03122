package publish_test

import (
	"context"
	"errors"
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// P11: a run that is stopped at any operation has either committed and reports success,
// or leaves nothing, not even staging, and reports the reason.
func TestStoppedAtEveryOperation(t *testing.T) {
	t.Parallel()
	base := scene(t)
	reason := errors.New("SIGTERM")
	for k := 1; k <= operations(t, base)+1; k += stride() {
		f := base.PowerCut(1, 0)
		ctx, stop := context.WithCancelCause(context.Background())
		o := lastOptions(durabletest.Wrap(f, func(op durabletest.Op) error {
			if op.Number == k {
				stop(reason)
			}
			return nil
		}), "run-stopped")
		_, err := publish.Run(ctx, o)
		d, bad := verdict(f, err == nil)
		switch {
		case bad != nil:
			t.Fatalf("stopped at operation %d (%v): %v", k, err, bad)
		case err != nil && (d.commit.Version != before || !errors.Is(err, reason)):
			t.Fatalf("stopped at operation %d: version %d, %v", k, d.commit.Version, err)
		case exists(t, f, layout.StagingDir+"/run-stopped"):
			t.Fatalf("stopped at operation %d: staging was left behind", k)
		}
		stop(nil)
	}
}

// P8: whatever CURRENT contains, the next run continues from the newest commit and
// repairs CURRENT, even if it has nothing to publish.
func TestNextRunRepairsCurrent(t *testing.T) {
	for name, content := range map[string]string{"missing": "", "empty": " ", "garbage": "\xff\x00}", "dangling": `{"format":1,"version":99,"commit_sha256":"` + durable.Hash(nil) + `"}`} {
		for _, next := range []int{2, 3} {
			f := durabletest.NewMem()
			publishCycle(t, f, cycle{number: 1, refreshed: []int{1}})
			last := publishCycle(t, f, cycle{number: 2, refreshed: []int{1}})
			must(t, f.Remove(layout.Current))
			if content != "" {
				must(t, durable.Create(f, layout.Current, durable.Bytes([]byte(content))))
			}
			c := cycle{number: next, refreshed: []int{1}}
			if next > 2 {
				c.transform(t, f)
			}
			s, err := publish.Run(context.Background(), options(f, c, "run"))
			must(t, err)
			data, err := durable.ReadFile(f, layout.Current, 1000)
			must(t, err)
			p, err := snapshot.ParsePointer(data)
			if err != nil || p.Version != s.Version || s.Version != last.Version+uint64(next-2) {
				t.Errorf("%s: CURRENT points to %d, published %d, %v", name, p.Version, s.Version, err)
			}
		}
	}
}
