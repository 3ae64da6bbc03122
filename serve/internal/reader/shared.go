package reader

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"mkt/internal/scratch"
	"mkt/publish/football"
	"mkt/serve/internal/reader/engine"
	"mkt/serve/internal/reader/fairqueue"
	"mkt/serve/internal/reader/pages"
	"mkt/serve/internal/reader/segments"
	"mkt/serve/quarantine"
)

// shared is what the datasets of all tenants share.
type shared struct {
	o           Options       // none of its functions but Fetch and Loaded is nil
	tenantCount func() int    // how many there are now
	loading     chan struct{} // has an element during a load; all tenants together have one load at a time
	scratch     *scratch.Folder
	loads       *quarantine.Store
	renders     *fairqueue.Queue
	counts      counts
	notices     *fsnotify.Watcher // set by [Library.Run]; nil = there are none
	watched     sync.Map          // the datasets whose folders are watched, by folder
	swaps       atomic.Uint64
	steps       *segments.Steps
}

// counts are the counters of a library since it was opened.
type counts struct {
	pages    pages.Counts
	replaced atomic.Int64 // broken engines
	loads    map[football.Product]*loadCounts
}

type loadCounts struct {
	loaded, failed atomic.Int64
	took           atomic.Int64 // nanoseconds, of the successful loads
}

func (c *loadCounts) load(ctx context.Context, err error, took time.Duration) {
	switch {
	case err == nil:
		c.loaded.Add(1)
		c.took.Add(int64(took))
	case ctx.Err() == nil:
		c.failed.Add(1)
	}
}

// cacheSize is a cache size: a total that all tenants share, and the minimum for each.
type cacheSize struct{ all, least int }

var (
	pageCacheSize    = cacheSize{32 << 20, 1 << 20}
	eventCacheSize   = cacheSize{16 << 20, 1 << 20}
	stepIndexSize    = cacheSize{all: segments.StepIndexSize}
	engineMemorySize = cacheSize{96 << 20, engine.MinMemory}
)

func (s *shared) shareOf(r cacheSize) int { return max(r.least, r.all/max(1, s.tenantCount())) }

func (s *shared) engineMemory() int64 {
	return min(engine.MaxMemory, int64(s.shareOf(engineMemorySize)))
}
