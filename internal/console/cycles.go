package console

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/inspect"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// cyclesShown is how many publications a page of cycles has.
const cyclesShown = 50

// cyclesBody is the content of the page of an account's cycles.
type cyclesBody struct {
	picker
	Steps []*health.Run // the newest run of each step
	Lines []cycleLine
	Unpublished
	Suspicions []suspicionChange
	Newest     uint64
	Older      uint64 // the first version of the next page; 0 if there is none
	Scale      time.Duration
}

// cycleLine is one publication.
type cycleLine struct {
	inspect.Publication
	Parts                               []cyclePart // how long its steps took; nil if its snapshot is not kept
	Took                                time.Duration
	Refreshed, Carried, Removed, Held   int64
	InPlay                              int64
	Suspicious, Damaged, Broken, Failed int64

	suspicions map[string]int64 // by kind; nil if not recorded
}

// cyclePart is a step of a cycle. X and Width are in thousandths of the longest cycle.
type cyclePart struct {
	Step     string
	Took     time.Duration
	X, Width int
}

func (c *Console) cycles(r *http.Request) (view, error) {
	p, err := c.pick(r, "/cycles")
	if err != nil {
		return view{}, err
	}
	body := cyclesBody{picker: p}
	v := view{Page: "cycles", Section: "cycles", Title: "Cycles", Body: &body}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Cycles of " + p.Account
	root, err := p.dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	for _, run := range c.newestRuns(p.Account, p.Product) {
		if run != nil {
			body.Steps = append(body.Steps, run)
		}
	}
	from, _, err := snapshot.LastRecord(root)
	if err != nil && !snapshot.IsFault(err) {
		return v, err
	}
	body.Newest = from
	if text := r.URL.Query().Get("from"); text != "" {
		if from, err = strconv.ParseUint(text, 10, 64); err != nil || from > body.Newest {
			return v, badRequest("from=%s: want the number of a version, at most %d.", text, body.Newest)
		}
	}
	if err := body.read(root, from, &c.cycleLines); err != nil {
		return v, err
	}
	body.Suspicions = suspicionChanges(body.Lines)
	body.Unpublished, err = unpublishedOf(root, body.Lines, from == body.Newest, body.Older == 0)
	return v, err
}

// read reads a page of publications, the newest first.
func (b *cyclesBody) read(root durable.ReadFS, from uint64, kept *cycleLines) error {
	for c, err := range snapshot.Backward(root, snapshot.Commit{Version: from}) {
		if len(b.Lines) == cyclesShown {
			b.Older = c.Version
			break
		}
		switch {
		case snapshot.IsFault(err), snapshot.IsDamage(err):
			b.Lines = append(b.Lines, cycleLine{Publication: inspect.Publication{Version: c.Version, Damage: err.Error()}})
		case err != nil:
			return err
		default:
			b.Lines = append(b.Lines, kept.line(root, c))
		}
	}
	for _, l := range b.Lines {
		b.Scale = max(b.Scale, l.Took)
	}
	for i := range b.Lines {
		b.Lines[i].draw(b.Scale)
	}
	return nil
}

// cycleLines keeps the lines of publications, which do not change while their snapshots are there.
type cycleLines struct {
	mu   sync.Mutex
	kept map[string]cycleLine // by the hash of the commit record
}

// maxCycleLines is how many lines are kept.
const maxCycleLines = 1000

// line returns the line of a publication.
func (k *cycleLines) line(root durable.ReadFS, c snapshot.Commit) cycleLine {
	k.mu.Lock()
	l, known := k.kept[c.SHA256]
	k.mu.Unlock()
	if known {
		if still, err := snapshot.IsKept(root, c); err == nil && still {
			l.Parts = slices.Clone(l.Parts) // each page draws them to its own scale
			return l
		}
	}
	l = lineOf(root, c)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= maxCycleLines {
		k.kept = map[string]cycleLine{}
	}
	if l.Kept && l.Damage == "" {
		k.kept[c.SHA256] = l
		l.Parts = slices.Clone(l.Parts)
	}
	return l
}

func lineOf(root durable.ReadFS, c snapshot.Commit) cycleLine {
	p, m := inspect.Described(root, c)
	l := cycleLine{Publication: p}
	if !l.Kept || l.Damage != "" {
		return l
	}
	n := m.Counters
	l.Refreshed, l.Carried, l.Removed, l.Held = n["fixtures_refreshed"], n["fixtures_carried"], n["fixtures_removed"], n["fixtures_held"]
	l.InPlay, l.Suspicious, l.Failed = n["in_play"], n["suspicions"], n["fixtures_failed"]
	l.Damaged, l.Broken, l.suspicions = sum(m.Damaged), sum(m.Broken), inspect.Suspicions(m.Counters)
	at := layout.TimeOf(c.CycleID)
	for _, end := range []struct {
		step string
		at   *time.Time
	}{{"fetch", m.ProviderFetchedAt}, {"transform", m.ProcessedAt}, {"publish", m.PublishedAt}} {
		if end.at == nil {
			continue
		}
		took := max(0, end.at.Sub(at))
		l.Parts = append(l.Parts, cyclePart{Step: end.step, Took: took})
		l.Took += took
		at = *end.at
	}
	return l
}

// draw gives the parts their places on the scale of the page.
func (l *cycleLine) draw(longest time.Duration) {
	at := time.Duration(0)
	for i := range l.Parts {
		p := &l.Parts[i]
		p.X, p.Width = int(at*1000/max(1, longest)), int(p.Took*1000/max(1, longest))
		at += p.Took
	}
}

func sum(counts map[string]int) (total int64) {
	for _, n := range counts {
		total += int64(n)
	}
	return total
}

// picker is the choice of an account and a product, above the pages of one of them.
type picker struct {
	Path     string // of the page without a choice
	Account  string // "" if nothing was chosen and there is no data
	Product  football.Product
	Datasets []dataset.Dataset

	dataset dataset.Dataset
}

// pick reads which dataset a page is about: the path's account and product, or else the
// query's, or else the first one.
func (c *Console) pick(r *http.Request, path string) (picker, error) {
	return c.pickOf(r, path, dataset.Filter{})
}

// momentOf is [Console.pick] for a page of one cycle, whose moment is in the path. The root is open.
func (c *Console) momentOf(r *http.Request) (p picker, m snapshot.Moment, root *durable.Disk, err error) {
	if p, err = c.pick(r, "/cycles"); err != nil {
		return p, m, nil, err
	}
	if m, err = snapshot.ParseMoment(r.PathValue("moment"), c.Now()); err != nil {
		return p, m, nil, badRequest("%s: %v.", r.PathValue("moment"), err)
	}
	root, err = p.dataset.Open()
	return p, m, root, err
}

// chosen is the account kept in the links to other sections.
func (p picker) chosen() string { return p.Account }

// pickOf is [Console.pick] among the datasets selected by a filter, in the accounts' order in
// tenants.yaml.
func (c *Console) pickOf(r *http.Request, path string, among dataset.Filter) (picker, error) {
	p := picker{Path: path}
	list, err := dataset.List(c.Data, among)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return p, err
	case err != nil && r.PathValue("account") != "":
		return p, notFound("There is no data of account %q.", r.PathValue("account"))
	case err != nil:
		return p, nil // there is no data yet
	}
	c.sort(list)
	p.Datasets = list
	account := cmp.Or(r.PathValue("account"), r.URL.Query().Get("account"))
	product := cmp.Or(r.PathValue("product"), r.URL.Query().Get("product"))
	if of, chosen, ok := strings.Cut(account, " "); ok { // the form sends both in one field
		account, product = of, chosen
	}
	if among.Product != "" {
		product = among.Product
	}
	at := slices.IndexFunc(list, func(d dataset.Dataset) bool {
		return (account == "" || d.Tenant == account) && (product == "" || string(d.Product) == product)
	})
	if at < 0 {
		return p, notFound("There is no data of account %q for product %q.", account, product)
	}
	p.dataset = list[at]
	p.Account, p.Product = p.dataset.Tenant, p.dataset.Product
	return p, nil
}

// sort orders datasets by their accounts' order in tenants.yaml. Accounts no longer in it are last.
func (c *Console) sort(list []dataset.Dataset) {
	place := map[string]int{}
	if file, _ := c.tenants(); file != nil {
		for i, id := range file.IDs() {
			place[id] = i - len(file.Tenants)
		}
	}
	slices.SortStableFunc(list, func(a, b dataset.Dataset) int { return place[a.Tenant] - place[b.Tenant] })
}
