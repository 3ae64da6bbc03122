package live

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"mkt/internal/console/background"
	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
)

const (
	tracesKept = 16 // matches whose past is kept in memory
	traceTime  = 2 * time.Minute
)

// traceKey identifies a match. The past of one of ninety minutes is in some 700 cycles: they are read
// once, and then only the new ones.
type traceKey struct {
	dataset         dataset.Dataset
	fixture, source string
}

// follow adds its past to a match. If reading takes long, the match gets the part read so far and
// a note of the progress.
func follow(ctx context.Context, traces *background.Reader[traceKey, inplay.Trace], d dataset.Dataset, m *matchpage.Match) {
	own := *m // the page goes on to use m
	key := traceKey{d, m.Row.ProviderFixtureID, m.Row.SourceProvider}
	r := traces.Get(ctx, key, strconv.FormatUint(m.Commit.Version, 10), m.Now, func(before inplay.Trace, progress func(done, total int)) (inplay.Trace, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceTime)
		defer cancel()
		return before.Extend(ctx, d, &own, progress)
	})
	m.Past, m.Damaged = r.Value.Past, r.Value.Damaged
	switch {
	case r.Err != nil:
		m.Tracing = fmt.Sprintf("The archive could not be read: %s.", terminal.Message(r.Err))
	case r.Running != nil && r.Total > 1:
		m.Tracing = fmt.Sprintf("The archive is being read: %d of %d cycles so far. The page shows them as soon as they are read.", r.Done, r.Total)
	case r.Running != nil:
		m.Tracing = "The archive is being read. The page shows it as soon as it is read."
	}
}
