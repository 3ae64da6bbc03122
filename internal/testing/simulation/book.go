package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/testing/changelog"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// book knows everything that was ever published.
type book struct {
	w       *world
	cluster bool // replicas lag, and workers copy a part

	mu       sync.Mutex
	datasets map[string]*dataset
	readings map[string][]reading // of the clock, by the new history that an operator began
	gone     map[string]bool      // accounts that were deleted, and perhaps added again
	owners   *owners
}

// reading is what a clock showed, and the true time then.
type reading struct{ shown, is time.Time }

// dataset is what anybody has seen of a job.
type dataset struct {
	commits map[string]seen // by history and version
	events  changelog.Log
	checked map[string]bool     // hashes of commits whose rows were checked
	states  map[string]content  // by hash of the commit
	inPlay  map[int64][]inPlay  // by the time of the publication
	last    map[*machine]uint64 // newest acknowledged version
	starts  map[string]uint64   // seq before the first one, by history
	newest  map[string]uint64   // seq, by history
	empty   bool                // a copy without publications was restored: a history begins as the very first one did
	news    chan struct{}       // closed at the next publication
}

type seen struct {
	sha256, where string
	at            time.Time
}

func newBook(w *world) *book {
	return &book{w: w, datasets: map[string]*dataset{}, readings: map[string][]reading{}, owners: newOwners(), gone: map[string]bool{}}
}

func (b *book) of(j job) *dataset {
	d := b.datasets[j.String()]
	if d == nil {
		d = &dataset{commits: map[string]seen{}, checked: map[string]bool{}, states: map[string]content{}, inPlay: map[int64][]inPlay{}, last: map[*machine]uint64{}, starts: map[string]uint64{}, newest: map[string]uint64{}, news: make(chan struct{})}
		b.datasets[j.String()] = d
	}
	return d
}

// published notes a publication that a run has acknowledged, and judges it.
func (b *book) published(l *life, j job, s publish.Summary) {
	b.w.note("%s: %s: version %d: %d refreshed, %d without markets, %d carried, %d removed, %d held; seq %d", l.machine.name, j, s.Version, s.Refreshed, s.WithoutMarkets, s.Carried, s.Removed, s.Held, s.LastSeq)
	root := within(l.disk, j.dir())
	if j.isLeaving() {
		return
	}
	b.mu.Lock()
	d := b.of(j)
	d.last[l.machine] = max(d.last[l.machine], s.Version)
	close(d.news)
	d.news = make(chan struct{})
	b.mu.Unlock()
	c := b.judge(root, j, l.machine)
	if c.Version > 0 && c.Version != s.Version {
		b.w.fail(acknowledged, "%s on %s: version %d was acknowledged, and the newest is %d", j, l.machine.name, s.Version, c.Version)
	}
	j.decided(root, c, b.content(j, c), b.cluster)
	b.removals(root, j, c, l.machine.now())
	j.agrees(root, c, l.machine.now(), l.machine.leapt.Load())
	j.told(root, c, l.machine.leapt.Load())
}

// news returns a channel that is closed at the next publication of a job.
func (b *book) news(j job) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(j).news
}

// judge reads a data root as a reader does, and checks everything that must always hold. It returns
// the newest commit.
func (b *book) judge(root durable.ReadFS, j job, where *machine) (c snapshot.Commit) {
	if where.isRotten() {
		return c // until it is repaired
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if j.isLeaving() {
		return c
	}
	c, found, err := snapshot.Head(root)
	if err != nil {
		b.w.fail(nothingTorn, "%s on %s: %v", j, where.name, err)
	}
	if err != nil || !found {
		return c
	}
	m, err := intact(root, c, func(file string) bool {
		return where.isLost(j.dir()+"/"+file) || where.suspect && strings.HasPrefix(file, layout.StepsDir+"/") // a new history keeps the steps
	})
	if err != nil {
		b.w.fail(nothingTorn, "%s on %s: version %d: %v", j, where.name, c.Version, err)
		return c
	}
	d := b.of(j)
	b.history(d, root, j, c, m, where.name)
	if !d.checked[c.SHA256] {
		d.checked[c.SHA256] = true
		b.rows(d, root, j, c, m)
		j.changes(d.states, root, c, m)
	}
	return c
}

// intact compares the files of a publication with their hashes, except segments that are lost.
func intact(root durable.ReadFS, c snapshot.Commit, isLost func(file string) bool) (snapshot.Manifest, error) {
	m, err := snapshot.Open(root, c)
	if err == nil {
		err = snapshot.Verify(root, c.Dir(), m)
	}
	for _, s := range m.Segments() {
		if err == nil && !isLost(s.File) {
			err = snapshot.VerifySegment(root, s)
		}
	}
	return m, err
}

func (b *book) history(d *dataset, root durable.ReadFS, j job, c snapshot.Commit, m snapshot.Manifest, where string) {
	name := fmt.Sprint(c.HistoryID, " ", c.Version)
	before, known := d.commits[name]
	if known && before.sha256 != c.SHA256 {
		b.w.fail(oneHistory, "%s: version %d on %s is another one than on %s", j, c.Version, where, before.where)
	}
	if known {
		return
	}
	d.commits[name] = seen{c.SHA256, where, c.PublishedAt}
	if last, known := d.commits[fmt.Sprint(c.HistoryID, " ", c.Version-1)]; known && !c.PublishedAt.After(last.at) {
		b.w.fail(timesRise, "%s version %d was published at %s, the one before at %s", j, c.Version, c.PublishedAt, last.at)
	}
	if m.PublishedAt.Before(*m.ProcessedAt) || m.ProviderFetchedAt != nil && m.ProcessedAt.Before(*m.ProviderFetchedAt) {
		b.w.fail(timesRise, "%s version %d: fetched %s, processed %s, published %s", j, c.Version, m.ProviderFetchedAt, m.ProcessedAt, m.PublishedAt)
	}
	if j.product != football.MarketEngine {
		return
	}
	if _, known := d.newest[c.HistoryID]; !known {
		b.beginning(d, j, c)
	}
	d.newest[c.HistoryID] = max(d.newest[c.HistoryID], c.LastSeq)
	for _, err := range d.events.Events(root, c, m, 0) {
		if err != nil {
			b.w.fail(oneHistory, "%s version %d on %s: %v", j, c.Version, where, err)
			return
		}
	}
}

// begins returns a clock for a command that may begin a history, and notes what it shows.
func (b *book) begins(history string, now func() time.Time) func() time.Time {
	return func() time.Time {
		shown := now()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.readings[history] = append(b.readings[history], reading{shown, time.Now()})
		return shown
	}
}

// emptied notes that nothing of a job was published as far as its machine knows.
func (b *book) emptied(j job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(j).empty = true
}

// beginning checks that a history begins after every seq of the others. Where those ended is nowhere on a
// machine to which an older copy was restored. So it may begin before the end of another one, but only if its
// clock was behind, or if the other one began at a time that is still to come.
func (b *book) beginning(d *dataset, j job, c snapshot.Commit) {
	start := c.FirstSeq - 1
	d.starts[c.HistoryID] = start
	readings, begun := b.readings[c.HistoryID]
	if !begun && len(d.newest) > 0 && !d.empty {
		b.w.fail(oneHistory, "%s: the history %s began without a command", j, c.HistoryID)
	}
	d.empty = false
	for _, history := range sorted(d.newest) {
		excused := !begun || slices.ContainsFunc(readings, func(r reading) bool {
			return r.shown.Before(r.is) || d.starts[history] > uint64(r.is.UnixMicro())
		})
		if last := d.newest[history]; start < last && !excused {
			b.w.fail(oneHistory, "%s: the history %s begins after seq %d, and %s had seq %d", j, c.HistoryID, start, history, last)
		}
	}
}

// rows checks where the values of a publication come from.
func (b *book) rows(d *dataset, root durable.ReadFS, j job, c snapshot.Commit, m snapshot.Manifest) {
	if m.ClientID != j.id || m.Product != j.product {
		b.w.fail(nothingForeign, "%s has version %d of %s %s", j, c.Version, m.ClientID, m.Product)
	}
	if j.product != football.MarketEngine {
		d.inPlay[c.PublishedAt.UnixMilli()] = b.owners.rowsInPlay(root, j, c)
		return
	}
	state := content{}
	for row, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
		if err != nil {
			b.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		state[row.FixtureID] = row.ContentDigest
		b.owners.own(j.id, row.FixtureID)
		if !j.said(row.ProviderFixtureID) {
			b.w.fail(nothingForeign, "%s version %d: the provider never told the account the fixture %s", j, c.Version, row.ProviderFixtureID)
		}
	}
	d.states[c.SHA256] = state
	for row, err := range snapshot.Rows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile) {
		if err != nil {
			b.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		for i := range row.Selections {
			for _, price := range []*string{row.Selections[i].OddsDecimalText, row.Selections[i].OddsFractional} {
				if price != nil && !j.said(*price) {
					b.w.fail(nothingMadeUp, "%s version %d: %q of %s", j, c.Version, *price, row.MarketID)
				}
			}
		}
	}
}

// noteSeen notes that a client saw a publication of a machine, which must stay.
func (b *book) noteSeen(m *machine, j job, version uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.of(j)
	d.last[m] = max(d.last[m], version)
}

// evidence describes what a publication says about a removed fixture.
func evidence(root durable.ReadFS, c snapshot.Commit, m snapshot.Manifest, fixture string) string {
	text := fmt.Sprintf("listing complete %v, filtered %v, broken %v, damaged %v", m.ListingComplete, m.Filtered, m.Broken, m.Damaged)
	for row, err := range snapshot.Rows[table.ListingRow](root, layout.Cycle(layout.CanonicalDir, c.CycleID)+"/"+layout.ListingFile) {
		if err == nil && row.FixtureID == fixture {
			text += fmt.Sprintf(", listed as %s %s", row.Status, row.Markets)
		}
	}
	return text
}

// content returns the fixtures of a publication that was judged.
func (b *book) content(j job, c snapshot.Commit) content {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(j).states[c.SHA256]
}

// removals checks the removals of a new publication. A fixture may only go if the provider was asked in
// this very cycle and does not list it as one to come, or left it out of its list.
func (b *book) removals(root durable.ReadFS, j job, c snapshot.Commit, now time.Time) {
	if j.product != football.MarketEngine || c.Version == 0 {
		return
	}
	m, err := snapshot.Open(root, c)
	if err != nil {
		return // judge says it
	}
	listed := j.hasListed()
	after := c.LastSeq
	if c.Segment != nil {
		after = c.Segment.First - 1
	}
	for row, err := range snapshot.Events(root, m, after) {
		if err != nil || row.Type != publish.Removed || row.CycleID != string(c.CycleID) {
			continue
		}
		if j.lists(row.ProviderFixtureID, now) {
			b.w.fail(removalProved, "%s version %d removed the fixture %s, which the provider lists: %s", j, c.Version, row.ProviderFixtureID, evidence(root, c, m, row.FixtureID))
		}
		if !listed {
			b.w.fail(removalProved, "%s version %d removed the fixture %s, and the provider gave no list", j, c.Version, row.ProviderFixtureID)
		}
	}
}

// survived checks a disk after the end of a life: what was acknowledged is there.
func (b *book) survived(m *machine, jobs []job, d *depot) {
	for _, j := range jobs {
		c := b.judge(within(m.disk, j.dir()), j, m)
		if d == nil && m.isRotten() || j.isLeaving() {
			continue
		}
		if d != nil {
			c = b.stored(d, j)
		}
		b.mu.Lock()
		for of, last := range b.of(j).last {
			if (of == m || d != nil) && c.Version < last {
				b.w.fail(acknowledged, "%s on %s: version %d was acknowledged, and %d is left after the end of %s", j, of.name, last, c.Version, m.name)
			}
		}
		b.mu.Unlock()
	}
}

// restored forgets what a machine acknowledged: an older copy of its disk was restored.
func (b *book) restored(m *machine, jobs []job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range jobs {
		delete(b.of(j).last, m)
	}
}

// deleted forgets everything of an account.
func (b *book) deleted(a *account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone[a.id] = true
	for _, p := range a.products {
		delete(b.datasets, job{a, p}.String())
	}
}

// acknowledged returns the newest version of a job that a run on a machine has acknowledged.
func (b *book) acknowledged(m *machine, j job) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(j).last[m]
}

// wasDeleted reports whether the account of a job was ever deleted.
func (b *book) wasDeleted(j job) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone[j.id]
}

// stored returns the newest commit of the object store.
func (b *book) stored(d *depot, j job) snapshot.Commit {
	if j.isLeaving() {
		return snapshot.Commit{}
	}
	c, _, err := d.dataset(j).Head(context.Background(), 0)
	if err != nil {
		b.w.fail(nothingTorn, "%s in the object store: %v", j, err)
	}
	return c
}

// isYoung reports whether a client may rely on an event at the time of a publication.
func (b *book) isYoung(j job, history string, seq uint64, at time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	published, known := b.of(j).events.Published(history, seq)
	return !known && !b.cluster || known && at.Sub(published) < 7*day
}

// inPlay returns the fixtures in play of a publication; false if nobody has judged it.
func (b *book) inPlay(j job, published time.Time) ([]inPlay, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, known := b.of(j).inPlay[published.UnixMilli()]
	return list, known
}
