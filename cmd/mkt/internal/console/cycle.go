package console

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/inspect"
	"mkt/fetch/raw"
	"mkt/publish/health"
	"mkt/publish/snapshot"
	"mkt/transform"
)

// cycleBody is what the page of one cycle shows.
type cycleBody struct {
	picker
	inspect.Cycle
	Counts   []countsTable
	Rejected []shownAnswer
	Refused  int // answers, of which Rejected are the first
	Failures []failedFixture
	Runs     []*health.Run // the steps whose newest run was of this cycle
	Before   uint64
}

// Title is what the cycle is called.
func (b *cycleBody) Title() string {
	if b.Commit == nil {
		return "Cycle " + string(b.CycleID)
	}
	return "Version " + count(b.Commit.Version)
}

// countsTable is a table of counts, the largest first.
type countsTable struct {
	Title, About string
	Rows         []namedCount
}

type namedCount struct {
	Name  string
	Count int64
}

func (c *Console) cycle(r *http.Request) (view, error) {
	p, err := c.pick(r, "/cycles")
	if err != nil {
		return view{}, err
	}
	m, err := snapshot.ParseMoment(r.PathValue("moment"), c.Env.Now())
	if err != nil {
		return view{}, badRequest("%s: %v.", r.PathValue("moment"), err)
	}
	root, err := p.dataset.Open()
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	body := cycleBody{picker: p}
	if body.Cycle, err = cycleOf(root, p, m); err != nil {
		return view{}, err
	}
	if body.Commit != nil {
		body.Before = body.Commit.Version - 1
	}
	body.count()
	for _, run := range c.newestRuns(p.Account, p.Product) {
		if run != nil && run.Cycle == string(body.CycleID) {
			body.Runs = append(body.Runs, run)
		}
	}
	if body.Raw != nil {
		archive, err := raw.Open(root, body.CycleID)
		if err != nil {
			return view{}, err
		}
		body.Rejected, body.Failures = rejectedOf(archive), failedOf(archive)
		for _, n := range body.Raw.Rejected {
			body.Refused += n
		}
	}
	return view{Page: "cycle", Section: "cycles", Title: body.Title() + " of " + p.Account, Body: &body}, nil
}

// count gathers the counts of the manifest.
func (b *cycleBody) count() {
	m := cmp.Or(b.Snapshot, b.Canonical)
	if m == nil {
		return
	}
	counters := maps.Clone(m.Counters)
	maps.DeleteFunc(counters, func(name string, _ int64) bool {
		return name == transform.SuspicionsCounter || strings.HasPrefix(name, transform.SuspicionsCounter+":")
	})
	add := func(title, about string, counts map[string]int64) {
		t := countsTable{Title: title, About: about}
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if counts[name] != 0 {
				t.Rows = append(t.Rows, namedCount{name, counts[name]})
			}
		}
		slices.SortStableFunc(t.Rows, func(a, b namedCount) int { return cmp.Compare(b.Count, a.Count) })
		if len(t.Rows) > 0 {
			b.Counts = append(b.Counts, t)
		}
	}
	add("Suspicious markets", "Prices or lines that contradict each other. A provider that changes its format shows here first.", suspicionsOf(m.Counters))
	add("Markets that stay RAW", "By the reason.", widen(m.RawMarkets))
	add("Selections that are not publishable", "By the reason.", widen(m.NotPublishable))
	add("Records that could not be read", "By the reason.", widen(m.Broken))
	add("Damaged parts", "Parts of records that were marked or left out.", widen(m.Damaged))
	add("Fixtures left out", "By the rule.", widen(m.Filtered))
	add("Unknown fields", "Fields of the provider that no reader knows.", widen(m.UnknownFields))
	add("Counters", "Everything that the run counted.", counters)
}

func widen(counts map[string]int) map[string]int64 {
	wide := make(map[string]int64, len(counts))
	for name, n := range counts {
		wide[name] = int64(n)
	}
	return wide
}
