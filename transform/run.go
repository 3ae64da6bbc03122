package transform

import (
	"context"
	"log/slog"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/output"
	"mkt/transform/reading"
	"mkt/transform/spool"
)

// engine is what a product's runs differ in.
type engine struct {
	version string // of the rules
	// begin returns the derivation of the chosen cycle, which adds to the header and to the summary.
	begin func(*run, *snapshot.Manifest) derivation
	// counts returns the numbers of a run for the log and the state file.
	counts func(*Summary) []slog.Attr
}

// derivation makes the rows of one cycle.
type derivation interface {
	Derive(context.Context) error
	Write(context.Context, *output.Folder) error
}

// run is a run in progress; each step sets its fields.
type run struct {
	Options
	engine  engine
	started time.Time

	cycle   layout.CycleID
	archive *raw.Archive
	before  *snapshot.Manifest // of an earlier run of the same cycle; nil if there was none
	// published is the publication of a cycle whose rows are gone; Version is 0 otherwise. mustMatch: it, or the
	// published cycle for which this one is transformed, was asked for.
	published snapshot.Commit
	mustMatch bool
	// backfill transforms an earlier cycle, which this one needs; nil if this one is transformed
	// because a later one needs it. It returns false for a cycle whose content cannot be transformed.
	backfill  func(context.Context, layout.CycleID) (done bool, err error)
	rows      *spool.Rows       // of the cycle's markets
	installed func()            // is called when the canonical cycle is in its place; nil does nothing
	observed  *reading.Observed // what the answers have; nil if the cycle is not observed
	summary   Summary
}

// log returns the log of the run's cycle.
func (r *run) log() *slog.Logger { return logOf(&r.Options, r.cycle) }

func logOf(o *Options, cycle layout.CycleID) *slog.Logger {
	return o.Log.With("tenant", o.ClientID, "product", o.Product, "cycle", cycle, "step", "transform")
}
