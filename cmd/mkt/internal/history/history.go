package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Bounds of [Options].Steps.
const (
	DefaultSteps = 12 // a step of a fixture with 130 markets takes some 15 ms of a processor
	MaxSteps     = 1000
)

// readers is how many publications are read at the same time.
const readers = 4

// Options are the options of [Read].
type Options struct {
	Root     durable.ReadFS // of the tenant and product
	Dataset  string         // names the tenant and product in the cache
	Fixture  string
	From, To time.Time // only the steps between, and the one in force at From; zero for no bound
	Steps    int       // how many publications are read at most; 0 means DefaultSteps
	Cache    *Cache    // of earlier reads; may be nil
	Progress func(done, total int)
}

// ErrUnknown is the error for a fixture in no kept publication.
var ErrUnknown = errors.New("no kept publication has the fixture")

// Path is the path of a fixture's content over the kept publications.
type Path struct {
	Fixture table.FixtureRow // in the newest step with it
	Steps   []Step           // oldest first
	Changes int              // number of kept publications in the range that changed the fixture; Steps are some or all
	Closing int              // index of the last step retrieved before kick-off; -1 if none, or if kick-off is to come
	// Opening reports whether the first step is the first publication with the fixture.
	// Otherwise retention has deleted it, or it is out of the range.
	Opening bool
	Removed bool      // the newest step is the fixture's removal
	Until   time.Time // when the newest publication of the range was published: the last step holds until then
	Damaged []error   // one for each unreadable publication
}

// Step is a publication that changed the fixture.
type Step struct {
	Version     uint64
	Cycle       layout.CycleID
	FetchedAt   time.Time // provider_fetched_at of the fixture; zero if Removed
	ProcessedAt time.Time // zero if not recorded
	PublishedAt time.Time
	Removed     bool // the publication does not have the fixture
	Fixture     table.FixtureRow
	Markets     []table.MarketRow
}

// Market returns a market of the step; nil if the step does not have it.
func (s *Step) Market(id string) *table.MarketRow {
	if i := slices.IndexFunc(s.Markets, func(m table.MarketRow) bool { return m.MarketID == id }); i >= 0 {
		return &s.Markets[i]
	}
	return nil
}

// Newest returns the newest step with the fixture, or the first step if it is in none.
func (p *Path) Newest() *Step {
	for i := range slices.Backward(p.Steps) {
		if !p.Steps[i].Removed {
			return &p.Steps[i]
		}
	}
	return &p.Steps[0]
}

// Read reads the path of a fixture. Its errors include [ErrUnknown].
func Read(ctx context.Context, o Options) (*Path, error) {
	r := &reader{Options: o}
	if r.Steps == 0 {
		r.Steps = DefaultSteps
	}
	r.Steps = min(max(r.Steps, 4), MaxSteps)
	if r.Cache == nil {
		r.Cache = NewCache()
	}
	head, found, err := snapshot.Head(o.Root)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: %w", snapshot.ErrNothing, ErrUnknown)
	}
	r.head = head
	if r.manifest, err = snapshot.Open(o.Root, head); err != nil {
		return nil, err
	}
	return r.read(ctx)
}

type reader struct {
	Options
	head     snapshot.Commit
	manifest snapshot.Manifest // of head
	path     Path
}

func (r *reader) read(ctx context.Context) (*Path, error) {
	changes, fromStart, err := r.changes()
	if err != nil {
		return nil, err
	}
	all := len(changes)
	changes = within(changes, r.From, r.To)
	r.path.Changes, r.path.Closing, r.path.Until = len(changes), -1, r.head.PublishedAt.UTC()
	if !r.To.IsZero() && r.To.Before(r.path.Until) {
		r.path.Until = r.To.UTC()
	}
	r.path.Opening = fromStart && all > 0 && len(changes) > 0 && changes[0].first
	chosen := changes
	if len(changes) > r.Steps {
		chosen = choose(changes, r.Steps, r.kickOff(changes))
	}
	steps, errs := make([]*Step, len(chosen)), make([]error, len(chosen))
	var (
		mu      sync.Mutex
		done    int
		workers errgroup.Group
	)
	workers.SetLimit(readers)
	for i, c := range chosen {
		workers.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				steps[i], errs[i] = r.step(c)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; r.Progress != nil {
				r.Progress(done, len(chosen))
			}
			return nil
		})
	}
	_ = workers.Wait() // errs has the errors
	for i, err := range errs {
		switch {
		case snapshot.IsDamage(err) || snapshot.IsFault(err) || errors.Is(err, layout.ErrNewer):
			r.path.Damaged = append(r.path.Damaged, err)
		case err != nil:
			return nil, err
		case steps[i] != nil:
			r.path.Steps = append(r.path.Steps, *steps[i])
		}
	}
	return r.finish()
}

func (r *reader) finish() (*Path, error) {
	p := &r.path
	for len(p.Steps) > 0 && p.Steps[0].Removed { // it began before the range
		p.Steps = p.Steps[1:]
	}
	if len(p.Steps) == 0 {
		return nil, errors.Join(append([]error{fmt.Errorf("%s: %w", r.Fixture, ErrUnknown)}, p.Damaged...)...)
	}
	p.Fixture, p.Removed = p.Newest().Fixture, p.Steps[len(p.Steps)-1].Removed
	if at := p.Fixture.StartsAt; at != nil && at.Before(p.Until) {
		for i, s := range p.Steps {
			if !s.Removed && s.FetchedAt.Before(*at) {
				p.Closing = i
			}
		}
	}
	return p, nil
}

// kickOff returns when the fixture begins, by its newest change; zero if unknown. It reads the
// fixture's own row alone, which is checked when the step is read.
func (r *reader) kickOff(changes []change) time.Time {
	for _, c := range slices.Backward(changes) {
		if c.removed {
			continue
		}
		for row, err := range snapshot.FixtureRows[table.FixtureRow](r.Root, layout.Cycle(layout.SnapshotsDir, c.cycle)+"/"+layout.FixturesFile, r.Fixture) {
			if err == nil && row.StartsAt != nil {
				return *row.StartsAt
			}
		}
		break
	}
	return time.Time{}
}

// step reads a publication; nil if its cycle has no commit. The step is Removed if the publication
// does not have the fixture.
func (r *reader) step(c change) (*Step, error) {
	key := cacheKey{r.Dataset, c.cycle, r.Fixture}
	if step, ok := r.Cache.get(key); ok {
		return step, nil
	}
	commit, found, err := snapshot.OfCycle(r.Root, r.head, c.cycle)
	if err != nil || !found { // an unfinished publication has a folder, too
		return nil, err
	}
	step := &Step{Version: commit.Version, Cycle: commit.CycleID, PublishedAt: commit.PublishedAt.UTC(), Removed: true}
	if !c.removed {
		m, err := snapshot.Open(r.Root, commit)
		if err != nil {
			return nil, fmt.Errorf("version %d: %w", commit.Version, err)
		}
		fixture, markets, found, err := snapshot.FixtureOf(r.Root, commit, m, r.Fixture)
		if err != nil {
			return nil, fmt.Errorf("version %d: %w", commit.Version, err)
		}
		if m.ProcessedAt != nil {
			step.ProcessedAt = m.ProcessedAt.UTC()
		}
		if found {
			step.Removed, step.Fixture, step.Markets = false, fixture, markets
			step.FetchedAt = fixture.ProviderFetchedAt.UTC()
		}
	}
	r.Cache.put(key, step)
	return step, nil
}
