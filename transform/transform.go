package transform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/transform/bounds"
	"mkt/transform/output"
	"mkt/transform/reading"
	"mkt/transform/spool"
)

// Run transforms one cycle. If the cycle is transformed already, it does nothing. But if the
// cycle was named, it is transformed again, and must make the same bytes. Errors to branch on:
// [reading.ErrNoCycle], [ErrKey], [ErrRules], [reading.ErrQuarantined], [output.ErrOtherRows], [raw.ErrCorrupt], [durable.ErrDiffers],
// [durable.ErrNoSpace]. It writes state/transform.json.
func Run(ctx context.Context, o Options) (Summary, error) {
	r := &run{Options: o, published: o.Published}
	r.backfill = r.transformEarlier
	if err := r.check(); err != nil {
		return Summary{}, fmt.Errorf("transform: %w", err)
	}
	r.started = r.Now()
	err := r.transform(ctx)
	if err != nil {
		err = fmt.Errorf("transform %s %s: %w", r.ClientID, r.Product, err)
	}
	r.report(ctx, err)
	r.remember(err)
	return r.summary, err
}

// check validates the options and sets the defaults.
func (r *run) check() error {
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	if r.Workers <= 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	if r.Details <= 0 {
		r.Details = bounds.Details
	}
	if r.Provider == nil {
		r.Provider = all.Lookup
	}
	e, ok := engines[r.Product]
	switch {
	case r.Root == nil || r.Data == nil:
		return errors.New("no data root")
	case !layout.ValidTenantID(r.ClientID):
		return fmt.Errorf("tenant %q is not the id of an account", r.ClientID)
	case !ok:
		return fmt.Errorf("product %q: there is no engine for it", r.Product)
	}
	r.engine = e
	return nil
}

func (r *run) transform(ctx context.Context) error {
	if err := r.checkKey(); err != nil {
		return err
	}
	if err := r.chooseCycle(); err != nil || r.summary.Already {
		return err
	}
	r.observe()
	bytes, err := need(r.archive.Cycle(), r.Workers)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	release, err := r.Memory.Hold(ctx, r.Stopping, bytes)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	defer release()
	if err := r.write(ctx); err != nil {
		return fmt.Errorf("cycle %s: %w", r.cycle, err)
	}
	return nil
}

// write derives the cycle and writes its rows: the header last, as files of a folder that then moves to its place.
func (r *run) write(ctx context.Context) error {
	folder, err := output.Stage(r.Root, r.cycle)
	if err != nil {
		return err
	}
	defer folder.Remove()
	r.rows = spool.New(r.Root, folder.Path("markets.rows"))
	defer r.rows.Close()
	m := r.header()
	d := r.engine.begin(r, &m)
	if err := d.Derive(ctx); err != nil {
		return err
	}
	r.stamp(&m)
	if err := d.Write(ctx, folder); err != nil {
		return err
	}
	if err := output.LikePublished(r.Root, r.published, &m, r.mustMatch); err != nil {
		return err
	}
	if err := folder.Install(ctx, m); err != nil {
		return err
	}
	if r.installed != nil {
		r.installed()
	}
	return nil
}

// transformEarlier transforms an earlier cycle. It skips a cycle whose content cannot be transformed.
func (r *run) transformEarlier(ctx context.Context, id layout.CycleID) (done bool, err error) {
	earlier := &run{Options: r.Options, engine: r.engine, started: r.started, mustMatch: r.mustMatch}
	earlier.Cycle = id
	err = earlier.transform(ctx)
	log := logOf(&r.Options, id)
	switch {
	case errors.Is(err, reading.ErrQuarantined), errors.Is(err, reading.ErrNoCycle), errors.Is(err, raw.ErrCorrupt):
		log.Warn("skipped an earlier cycle that cannot be transformed", "error", err)
		return false, nil
	case err != nil:
		return false, err
	}
	log.Info("transformed an earlier cycle first")
	return true, nil
}
