package explain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/transform/reading"
)

type Options struct {
	Tenant   string
	Product  football.Product
	Root     durable.ReadFS // of the tenant and product; only read
	At       snapshot.Moment
	Provider func(name string) (provider.Provider, bool)
	Progress func(done, total int) // in cycles; may be nil
}

// ErrUnknown is the error for a target missing from the publication.
var ErrUnknown = errors.New("not found")

// ErrDeleted is the error for an explanation whose data was deleted by retention.
var ErrDeleted = errors.New("deleted by retention")

// Run explains one target in the publication of o.At. Its errors include [ErrUnknown],
// [ErrDeleted], [snapshot.ErrUnknown] and [snapshot.ErrDamaged].
func Run(ctx context.Context, o Options, t Target) (*Report, error) {
	c, err := snapshot.Find(o.Root, o.At)
	if err != nil {
		return nil, err
	}
	kept, err := snapshot.IsKept(o.Root, c)
	if err != nil {
		return nil, err
	}
	e := &explainer{Options: o, target: t, commit: c, report: Report{
		ID: t.text, Tenant: o.Tenant, Product: o.Product, Complete: true, Notes: []string{}, Values: []Value{}, Sources: []Source{},
		Publication: Publication{Version: c.Version, CycleID: string(c.CycleID), PublishedAt: c.PublishedAt.UTC(), Kept: kept},
	}}
	if kept {
		if e.manifest, err = snapshot.Open(o.Root, c); err != nil {
			return nil, err
		}
	}
	if o.Product == football.LiveIntelligence {
		err = e.live(ctx)
	} else {
		err = e.markets(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &e.report, nil
}

type explainer struct {
	Options
	target   Target
	commit   snapshot.Commit
	manifest snapshot.Manifest // zero when the snapshot is not kept
	report   Report
}

// errSnapshotDeleted names the next steps.
func (e *explainer) errSnapshotDeleted() error {
	return fmt.Errorf("the snapshot of version %d (%s): %w, only its commit record is left. If its payloads are still there, mkt replay rebuilds it in another data root",
		e.commit.Version, e.commit.CycleID, ErrDeleted)
}

// refreshedIn returns the cycle of data retrieved at a time: the newest published cycle, up to the
// publication's own, that has the answer with that hash, or else that had begun by then: a feed may
// have retrieved its answer earlier. The beginning is read from the archive, because several cycles
// of one second get different names and may begin before the time in theirs. If the payloads are
// gone, it is the time in the name.
func (e *explainer) refreshedIn(at time.Time, answer string) (layout.CycleID, error) {
	for c, err := range snapshot.Backward(e.Root, e.commit) {
		if err != nil {
			continue // a damaged record is not the one
		}
		began, _, err := layout.ParseCycleID(string(c.CycleID))
		if err != nil {
			continue
		}
		if a, err := raw.Open(e.Root, c.CycleID); err == nil {
			began = a.Cycle().StartedAt
			if slices.ContainsFunc(a.Responses(), func(r raw.Response) bool { return r.SHA256 == answer }) {
				return c.CycleID, nil
			}
		}
		if !began.After(at) {
			return c.CycleID, nil
		}
	}
	return "", fmt.Errorf("no publication began before %s: %w", at.UTC().Format(time.RFC3339), ErrDeleted)
}

// open opens the payloads of a cycle. If they are gone, it returns nil and adds a note.
func (e *explainer) open(cycle layout.CycleID) (*raw.Archive, error) {
	a, err := raw.Open(e.Root, cycle)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		e.report.doubt(fmt.Sprintf("the payloads of cycle %s are not %s: the values below are from the snapshot alone", cycle, e.whyMissing(cycle)))
		return nil, nil
	}
	return a, err
}

// whyMissing completes a sentence about missing payloads. Retention records its deletions;
// other payloads were lost, or never were in this data root.
func (e *explainer) whyMissing(cycle layout.CycleID) string {
	if floors, err := retention.ReadWatermarks(e.Root); err == nil && floors.Raw.Covers(cycle) {
		return "there any more (retention.cycle_age)"
	}
	return "in this data root, and retention did not delete them; a data root that mkt replay wrote has the payloads of its range alone: look in the root it was made from"
}

// source adds an archived answer to the sources, once.
func (e *explainer) source(o reading.Origin) {
	if o.Number == 0 {
		return
	}
	for _, s := range e.report.Sources {
		if s.Cycle == string(o.Cycle) && s.Response == o.Number {
			return
		}
	}
	e.report.Sources = append(e.report.Sources, Source{Cycle: string(o.Cycle), Response: o.Number, Endpoint: o.Endpoint, FetchedAt: o.FetchedAt.UTC(),
		SHA256: o.SHA256, Bytes: o.Bytes, File: o.In, Member: o.Member})
}
