package transform

import (
	"errors"
	"log/slog"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
	"mkt/transform/prematch"
	"mkt/transform/reading"
	"mkt/transform/tracking"
)

// Options of one run. The caller holds the lock of Root.
type Options struct {
	ClientID string
	Product  football.Product
	// Cycle to transform; "" means the newest raw cycle with something to transform.
	Cycle layout.CycleID
	Root  durable.FS // of the tenant and product
	Data  durable.FS // the data root, which records the id key's fingerprint
	Key   identity.Key

	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means none
	Workers int              // payloads read concurrently; 0 means one for each core
	Version string           // of the binary; goes into the header
	Details int              // live: fixtures whose timeline and minutes are published; 0 means 50
	// Memory bounds the memory of this and other runs together; nil means no bound.
	Memory *Memory
	// Received has answers fetched by this process; nil reads them from the archive.
	Received *raw.Received
	// States keeps the beginning of the next cycle in this process; nil keeps nothing.
	States *tracking.States
	// Stopping is closed when the process must stop. This interrupts a run that waits for
	// memory. It may be nil.
	Stopping <-chan struct{}
	// Progress is called with the number of answers with markets already read; it may be nil. It
	// is called from many goroutines.
	Progress func(done, total int)
	// Published is the publication of the cycle, if Root does not have its record.
	Published snapshot.Commit
	// Records has the records of the publications before the cycle, as far as Root does not have them; it may be nil.
	Records durable.ReadFS
	// Provider finds an adapter by name; nil means every registered adapter.
	Provider func(name string) (provider.Provider, bool)

	rebuilds bool // a past cycle is made again: what its answers have was seen before
}

// Summary counts the work of a run.
type Summary struct {
	Cycle   layout.CycleID
	Already bool // the cycle was transformed before: nothing was done

	reading.Totals
	prematch.Counts // of market_engine
	Live            tracking.Counts
	Took            time.Duration
}

var (
	// ErrKey: the id key is not the one of this data root.
	ErrKey = errors.New("wrong id key")
	// ErrRules: the cycle was transformed with rules of another version.
	ErrRules = errors.New("transformed by other rules")
)
