package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

type run struct {
	Options
	base    Base
	summary Summary
}

// Run publishes one cycle. If the cycle is published already, it succeeds and does nothing. Run
// recovers the work of an interrupted run, but not a damaged publication: its error is a
// [*snapshot.DamageError] that names the repair. Other errors to branch on: [ErrConflict],
// [ErrOlderCycle], [ErrNoCycle], [durable.ErrNoSpace], [snapshot.ErrDamaged]. It writes
// state/publish.json.
func Run(ctx context.Context, o Options) (Summary, error) {
	o, err := o.Complete()
	if err != nil {
		return Summary{}, err
	}
	r := &run{Options: o}
	started := o.Now()
	err = r.publish(ctx)
	if err != nil {
		err = fmt.Errorf("publish %s %s: %w", o.ClientID, o.Product, o.remedy(err))
	}
	Record(ctx, o, started, r.summary, err)
	return r.summary, err
}

// remedy adds the command for the repair to the error of a damaged publication.
func (o *Options) remedy(err error) error {
	var damage *snapshot.DamageError
	if errors.As(err, &damage) {
		return fmt.Errorf("%w: repair it with mkt recover --tenant %s --product %s", err, o.ClientID, o.Product)
	}
	return err
}

func (r *run) publish(ctx context.Context) error {
	defer r.Root.RemoveAll(r.Staging())
	var err error
	if r.base, err = recoverBase(&r.Options); err != nil {
		return err
	}
	var published snapshot.Commit
	if r.Cycle, published, err = chooseCycle(&r.Options, r.base.Commit); err != nil {
		return err
	}
	r.summary.Cycle = r.Cycle
	if c := published; c.Version > 0 {
		r.summary = Summary{Cycle: r.Cycle, Already: true, Version: c.Version, PublishedAt: c.PublishedAt, LastSeq: c.LastSeq}
		return nil
	}
	head, err := r.publishCycle(ctx)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", r.Cycle, err)
	}
	r.collect(head)
	return nil
}

// publishCycle returns the new newest commit.
func (r *run) publishCycle(ctx context.Context) (head snapshot.Commit, err error) {
	d, err := NewDraft(r.Options, r.base, r.Staging())
	if snapshot.IsDamage(err) {
		return head, fmt.Errorf("canonical cycle: %w: run a new one with mkt cycle --tenant %s", err, r.ClientID)
	}
	if err != nil {
		return head, err
	}
	publishedAt, replace, err := r.publicationTime(d)
	if err != nil {
		return head, err
	}
	if err := d.Write(ctx, publishedAt); err != nil {
		return head, err
	}
	if err := d.checkMarkets(); err != nil {
		return head, err
	}
	sum, err := d.WriteManifest()
	if err != nil {
		return head, err
	}
	r.summary = d.summary()
	return d.Commit(ctx, d.record(sum), replace)
}

// checkMarkets returns [ErrNoMarkets] if the account changed its provider or bookmaker, and more
// than a few fixtures were answered without any market, and none with one. A bookmaker that does
// not exist looks like this: the change would replace a whole dataset with nothing. Rebuilding a
// publication does not check it.
func (d *Draft) checkMarkets() error {
	before, c := d.base.Manifest, &d.canonical
	if before == nil || d.AcceptRemovals || !products[d.Product].decide || before.Tables["markets"].Rows == 0 {
		return nil
	}
	otherPrices := before.Bookmaker != "" && c.Bookmaker != "" && before.Bookmaker != c.Bookmaker
	bare := d.plan.counts().notOffered
	if before.Provider == c.Provider && !otherPrices || d.plan.markets() > 0 || bare <= holdNumber {
		return nil
	}
	source, choose := c.Provider, ""
	if c.Bookmaker != "" {
		source += " with the prices of " + c.Bookmaker
		choose = fmt.Sprintf("; if it has no such bookmaker, choose another one: mkt provider set %s --provider %s --bookmaker NAME", d.ClientID, c.Provider)
	}
	return fmt.Errorf("%w: the account has changed to %s, which answers for %d fixtures without a market%s; if that is right: mkt cycle --tenant %s --accept-removals",
		ErrNoMarkets, source, bare, choose, d.ClientID)
}

// publicationTime returns the time of this publication. If an earlier run of this cycle did not
// reach its commit, its time and binary version are used, so that both runs write the same bytes.
// Otherwise published_at is now, but after the previous publication and not before the data was
// processed, whatever the clock says. replace reports whether a folder exists without a commit
// that names it.
func (r *run) publicationTime(d *Draft) (publishedAt time.Time, replace bool, err error) {
	name := layout.Cycle(layout.SnapshotsDir, r.Cycle)
	if replace, err = durable.Exists(r.Root, name); err != nil {
		return publishedAt, false, err
	}
	publishedAt = r.Now().UTC().Truncate(time.Millisecond)
	earliest := d.canonical.ProcessedAt.UTC()
	if previous := r.base.Commit; previous.Version > 0 && !earliest.After(previous.PublishedAt) {
		earliest = previous.PublishedAt.Add(time.Millisecond)
	}
	if publishedAt.Before(earliest) {
		publishedAt = earliest
	}
	if !replace {
		return publishedAt, false, nil
	}
	m, _, err := snapshot.ReadManifest(r.Root, name+"/"+layout.ManifestFile)
	same := err == nil && m.CanonicalSHA256 == d.canonicalSum && m.PreviousManifestSHA256 == r.base.Commit.ManifestSHA256
	if same && m.PublishedAt != nil && !m.PublishedAt.Before(earliest) {
		publishedAt, d.Version = *m.PublishedAt, m.BinaryVersion
	}
	return publishedAt, true, nil
}

func (d *Draft) record(manifestSum string) snapshot.Commit {
	base := d.base.Commit
	c := snapshot.Commit{
		Format: snapshot.Format, Version: base.Version + 1, HistoryID: cmp.Or(base.HistoryID, d.RunID), RunID: d.RunID, CycleID: d.Cycle,
		PublishedAt: *d.Manifest.PublishedAt, ManifestSHA256: manifestSum, Segment: d.segment, LastSeq: base.LastSeq, PreviousSHA256: base.SHA256,
		CanonicalSHA256: d.canonicalSum, RawSHA256: d.canonical.RawSHA256, FixturesRoot: d.Manifest.FixturesRoot,
	}
	if d.segment != nil {
		c.LastSeq = d.segment.Last
	}
	c.FirstSeq = c.LastSeq + 1
	if len(d.Manifest.Changes) > 0 {
		c.FirstSeq = d.Manifest.Changes[0].First
	}
	return c
}

// collect applies the retention after a commit, the newest one now. Its failures are only logged, since the
// publication is done; the next run tries again.
func (r *run) collect(head snapshot.Commit) {
	if !retention.IsDue(r.Product, r.ClientID, r.base.Commit.CycleID, r.Cycle) {
		return
	}
	var err error
	r.summary.Collected, err = retention.Collect(retention.Options{Root: r.Root, Now: r.Now(), Policy: r.Retention.For(r.Product)}, head)
	if err != nil {
		r.Log.Warn("retention stopped early; the next run continues", "tenant", r.ClientID, "product", r.Product, "error", err)
	}
}
