package transform_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/bounds"
	"mkt/transform/reading"
)

// A fixture or a market with too many selections counts as unreadable; the fixture keeps
// its published rows, and the others are read.
func TestTooManySelections(t *testing.T) {
	market := func(n, first int) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf(`{"id":"%d","odds":"2.50","name":"%d"}`, first+i, first+i)
		}
		return fmt.Sprintf(`"m%d":{"id":"%d","name":"M%d","odds":[%s]}`, first, first, first, strings.Join(rows, ","))
	}
	many := make([]string, 11)
	for i := range many {
		many[i] = market(1900, 10_000*(i+1))
	}
	for name, c := range map[string]struct {
		markets string
		broken  int
	}{
		"as many in a market as may be": {market(2000, 100), 0},
		"one more":                      {market(2001, 100), 1},
		"as many in a fixture":          {strings.Join(many[:10], ","), 0},
		"more in a fixture":             {strings.Join(many, ","), 1},
	} {
		t.Run(name, func(t *testing.T) {
			root := small(both("1", `"goals":{"sp":{`+c.markets+`}}`), both("2", "")).mem(t)
			s, err := run(root, durabletest.NewMem())
			must(t, err)
			m, _, err := snapshot.OpenCanonical(root, cycleID)
			must(t, err)
			if s.Broken != c.broken || s.Fixtures != 2-c.broken || m.Broken["fixture:TOO_MANY_SELECTIONS"] != c.broken {
				t.Errorf("summary %+v, broken %v", s, m.Broken)
			}
			for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
				if want := row.ProviderFixtureID == "1" && c.broken == 1; (row.Markets == "REFRESHED") == want {
					t.Errorf("fixture %s is %s", row.ProviderFixtureID, row.Markets)
				}
			}
		})
	}
}

// A run reserves memory before it reads, waits while it is not free, and releases it; one
// that needs more than there is runs alone.
func TestMemory(t *testing.T) {
	memory := transform.NewMemory(100 << 20)
	values := int64(1)
	w := small(both("1", ""), both("2", ""))
	w.edit = func(c *raw.Cycle) { c.Counters = map[string]int64{raw.CounterValues: values} }
	try := func(ctx context.Context) error {
		o := options(w.mem(t), durabletest.NewMem())
		o.Memory = memory
		_, err := transform.Run(ctx, o)
		return err
	}
	for _, values = range []int64{1, bounds.MostValues} {
		must(t, try(t.Context()))
		release, err := memory.Hold(t.Context(), nil, 100<<20)
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := try(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d values: %v", values, err)
		}
		cancel()
		stopping := make(chan struct{})
		close(stopping)
		if _, err := memory.Hold(t.Context(), stopping, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%d values, stopping: %v", values, err)
		}
		ended := make(chan error)
		go func() { ended <- try(t.Context()) }()
		release()
		must(t, <-ended)
	}
	values = bounds.MostValues + 1
	if err := try(t.Context()); !errors.Is(err, reading.ErrQuarantined) {
		t.Errorf("more values than are read: %v", err)
	}
	values = 1
	must(t, try(t.Context()))
}
