package explain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/transform"
)

// Options say where to look.
type Options struct {
	Tenant   string
	Product  football.Product
	Root     durable.ReadFS // of the tenant and product; nothing is written
	At       snapshot.Moment
	Provider func(name string) (provider.Provider, bool)
	Progress func(done, total int) // of cycles read; may be nil
}

// ErrUnknown: the publication does not have what is asked for.
var ErrUnknown = errors.New("not there")

// ErrDeleted: retention has deleted what it would have to be read from.
var ErrDeleted = errors.New("deleted by retention")

// Run explains one target from the publication that o.At means. Errors to branch
// on: ErrUnknown, ErrDeleted, snapshot.ErrUnknown, snapshot.ErrDamaged.
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
		err = e.markets()
	}
	if err != nil {
		return nil, err
	}
	return &e.report, nil
}

// explainer is one explanation under way.
type explainer struct {
	Options
	target   Target
	commit   snapshot.Commit
	manifest snapshot.Manifest // zero when the snapshot is not kept
	report   Report
}

// adapter is the provider that the payloads are of.
func (e *explainer) adapter(name string) (provider.Provider, error) {
	p, ok := e.Provider(name)
	if !ok {
		return p, fmt.Errorf("provider %q: this build does not know it", name)
	}
	return p, nil
}

// unkept says that a snapshot is gone and what can be done.
func (e *explainer) unkept() error {
	return fmt.Errorf("the snapshot of version %d (%s): %w; its record is left. Where its payloads are still there, mkt replay makes it again in another data root",
		e.commit.Version, e.commit.CycleID, ErrDeleted)
}

// verify holds one file of the snapshot against its hash before it is read.
func (e *explainer) verify(name string) error {
	only := snapshot.Manifest{}
	for _, f := range e.manifest.Files {
		if f.Name == name {
			only.Files = append(only.Files, f)
		}
	}
	return snapshot.Verify(e.Root, e.commit.Dir(), only)
}

// refreshedIn is the cycle in which something was retrieved at a time: the newest
// published one, from that of the publication back, that had begun by then. A cycle
// may have begun before the time in its name: of several in one second each has a
// name of its own. Where its payloads are gone, the name is what is left.
func (e *explainer) refreshedIn(at time.Time) (layout.CycleID, error) {
	for c, err := range snapshot.Backward(e.Root, e.commit) {
		if err != nil {
			continue // a damaged record is not the one that is looked for
		}
		began, _, err := layout.ParseCycleID(string(c.CycleID))
		if err != nil {
			continue
		}
		if a, err := raw.Open(e.Root, c.CycleID); err == nil {
			began = a.Cycle().StartedAt
		}
		if !began.After(at) {
			return c.CycleID, nil
		}
	}
	return "", fmt.Errorf("no publication began before %s: %w", at.UTC().Format(time.RFC3339), ErrDeleted)
}

// open opens the payloads of a cycle; nil, with a note, when they are gone.
func (e *explainer) open(cycle layout.CycleID) (*raw.Archive, error) {
	a, err := raw.Open(e.Root, cycle)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		e.report.doubt(fmt.Sprintf("the payloads of cycle %s are not %s: what follows is what the snapshot itself keeps", cycle, e.whyMissing(cycle)))
		return nil, nil
	}
	return a, err
}

// whyMissing goes on a sentence about payloads that are not there. Retention records
// what it lets go of; what it did not was lost, or never was in this root.
func (e *explainer) whyMissing(cycle layout.CycleID) string {
	if floors, err := retention.ReadWatermarks(e.Root); err == nil && floors.Raw.Covers(cycle) {
		return "there any more (retention.cycle_age)"
	}
	return "in this data root, and retention did not delete them; one that mkt replay made has those of its range alone, the root it was made from may have them"
}

// source notes an archived answer among the sources, once.
func (e *explainer) source(o transform.Origin) {
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
