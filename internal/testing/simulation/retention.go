package simulation

import (
	"context"
	"errors"
	"path"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// inventory is what a data root has.
type inventory struct {
	head     snapshot.Commit
	manifest snapshot.Manifest
	names    map[string]bool // of snapshots, raw and canonical cycles, and segments
}

func (j job) inventory(root durable.ReadFS) inventory {
	h := inventory{names: map[string]bool{}}
	var found bool
	var err error
	if h.head, found, err = snapshot.Head(root); err == nil && found {
		h.manifest, err = snapshot.Open(root, h.head)
	}
	if err != nil {
		j.w.note("%s: %s", j, shorten(err)) // judge says it
	}
	for _, dir := range []string{layout.SnapshotsDir, layout.RawDir, layout.CanonicalDir, layout.ChangesDir, layout.StepsDir} {
		entries, _ := root.ReadDir(dir) // a folder may be missing
		for _, e := range entries {
			h.names[dir+"/"+e.Name()] = true
		}
	}
	return h
}

// retained checks what a publication or a collection left of what a data root had: everything that its
// policy keeps and, after a collection that ended, nothing else.
func (j job) retained(root durable.ReadFS, where *machine, p retention.Policy, before inventory, collected bool) {
	if where.isRotten() || where.suspect {
		return
	}
	after := j.inventory(root)
	if after.head.Version == 0 {
		return
	}
	var commits []snapshot.Commit // the newest first
	for c, err := range snapshot.Backward(root, after.head) {
		if err != nil {
			j.w.fail(retentionKeeps, "%s on %s: %v", j, where.name, err)
			return
		}
		commits = append(commits, c)
	}
	r := &retained{j, p, before, after, commits, collected}
	r.snapshots(root, where)
	if j.product == football.MarketEngine {
		r.cycles()
		r.windows()
	}
}

// retainedIn is retained for a collection in the object store, where a publication is kept as long as any part of it
// would be kept in a data root. before are the versions that it had.
func (j job) retainedIn(d *depot, p retention.Policy, before map[uint64]bool, head snapshot.Commit, collected bool) {
	after, _, err := d.packs(j)
	r := &retained{job: j, Policy: p, before: inventory{names: map[string]bool{}}, after: inventory{head: head, names: map[string]bool{}}, collected: collected}
	for c, e := range snapshot.Backward(d.dataset(j).Records(context.Background()), head) {
		if err = errors.Join(err, e); err != nil {
			break
		}
		r.commits = append(r.commits, c)
	}
	if err != nil {
		j.w.fail(retentionKeeps, "%s in the object store: %v", j, err)
		return
	}
	count, cut := max(p.Snapshots, p.Cycles, 3), r.cut(max(p.SnapshotAge, p.CycleAge, time.Hour))
	if j.product == football.LiveIntelligence {
		count = 450 * max(p.Cycles, 3)
	}
	for i, c := range r.commits {
		keeps := i < count || !c.PublishedAt.Before(cut) || p.Snapshots == 0 || p.Cycles == 0
		_, had := before[c.Version]
		late, has := after[c.Version]
		r.before.names[c.Dir()], r.after.names[c.Dir()] = had, has && (keeps || !late)
		r.judged(c.Dir(), keeps)
	}
}

type retained struct {
	job
	retention.Policy
	before, after inventory
	commits       []snapshot.Commit
	collected     bool
}

// judged checks that something is kept if it must be, and deleted otherwise.
func (r *retained) judged(name string, keeps bool) {
	switch {
	case keeps && r.before.names[name] && !r.after.names[name]:
		r.w.fail(retentionKeeps, "%s version %d: %s is deleted; the policy %+v keeps it", r.job, r.after.head.Version, name, r.Policy)
	case !keeps && r.collected && r.after.names[name]:
		r.w.fail(retentionKeeps, "%s version %d: %s is there; the policy %+v does not keep it", r.job, r.after.head.Version, name, r.Policy)
	}
}

func (r *retained) snapshots(root durable.ReadFS, where *machine) {
	count, age := max(r.Snapshots, 3), max(r.SnapshotAge, time.Hour)
	if r.product == football.LiveIntelligence {
		count, age = 3, 15*time.Minute
	}
	cut := r.cut(age)
	for i, c := range r.commits {
		keeps := i < count || !c.PublishedAt.Before(cut) || r.Snapshots == 0
		r.judged(c.Dir(), keeps)
		if !keeps || !r.after.names[c.Dir()] || where.isLost(r.dir()+"/"+c.Dir()+"/"+layout.ManifestFile) {
			continue
		}
		m, err := snapshot.Open(root, c)
		if err != nil {
			r.w.fail(retentionKeeps, "%s version %d: version %d: %v", r.job, r.after.head.Version, c.Version, err)
			return
		}
		for _, s := range m.Segments() {
			r.judged(s.File, true)
		}
	}
}

// cycles checks the raw and canonical cycles that are published, or older than a published one.
func (r *retained) cycles() {
	cut := r.cut(max(r.CycleAge, time.Hour))
	oldest := r.commits[min(max(r.Cycles, 3), len(r.commits))-1].CycleID
	for _, name := range sorted(r.before.names) {
		dir, base := path.Split(name)
		cycle, ok := layout.ParseCycleDir(base)
		if !ok || dir == layout.SnapshotsDir+"/" || cycle > r.after.head.CycleID {
			continue
		}
		at, _, err := layout.ParseCycleID(string(cycle))
		r.judged(name, err != nil || cycle >= oldest || at.After(cut) || r.Cycles == 0)
	}
}

// cut returns a time: what was published before it is older than age. An interval between two publications
// counts as at most a day.
func (r *retained) cut(age time.Duration) time.Time {
	cut := r.after.head.PublishedAt.Add(-age)
	for i := 1; i < len(r.commits) && r.commits[i-1].PublishedAt.After(cut); i++ {
		if gap := r.commits[i-1].PublishedAt.Sub(r.commits[i].PublishedAt); gap > day {
			cut = cut.Add(day - gap)
		}
	}
	return cut
}

// windows checks which segments of the change log and of the steps the next publication has.
func (r *retained) windows() {
	before, c := r.before.head, r.after.head
	if before.Version == 0 || c.Version != before.Version+1 || c.HistoryID != before.HistoryID {
		return
	}
	r.window("change log", r.before.manifest.Changes, r.after.manifest.Changes, r.ChangeAge, r.ChangeEvents)
	r.window("steps", r.before.manifest.Steps, r.after.manifest.Steps, r.StepsAge, 0)
}

func (r *retained) window(of string, before, after []snapshot.Segment, age time.Duration, events uint64) {
	all, c, compacted := before, r.after.head, false
	for _, s := range after {
		if len(before) == 0 || s.First > before[len(before)-1].Last {
			all = append(all[:len(all):len(all)], s)
		}
	}
	next, is := c.PublishedAt, time.Duration(0)
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		is += min(next.Sub(s.At), day)
		young := is < age || all[len(all)-1].Last-s.Last < events
		there := len(after) > 0 && s.Last >= after[0].First
		compacted = compacted || s.Cycles > 0
		if young != there && (young || !compacted) {
			r.w.fail(retentionKeeps, "%s version %d: the %s has seq %d to %d: %t; their age is %s, the newest seq %d, and the policy keeps %s and %d events",
				r.job, c.Version, of, s.First, s.Last, there, is, all[len(all)-1].Last, age, events)
		}
		next = s.Begins()
		is += s.At.Sub(next)
	}
}
