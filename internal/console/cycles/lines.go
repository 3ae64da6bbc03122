package cycles

import (
	"slices"
	"sync"
	"time"

	"mkt/internal/evidence/inspect"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// cyclesShown is how many publications a page of cycles has.
const cyclesShown = 50

// cycleLine is one publication.
type cycleLine struct {
	inspect.Publication
	Parts                               []cyclePart // how long its steps took; nil if its snapshot is not kept
	Took                                time.Duration
	Refreshed, Carried, Removed, Held   int64
	InPlay                              int64
	Suspicious, Damaged, Broken, Failed int64
}

// cyclePart is a step of a cycle. X and Width are in thousandths of the longest cycle.
type cyclePart struct {
	Step     string
	Took     time.Duration
	X, Width int
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
	l.Damaged, l.Broken = sum(m.Damaged), sum(m.Broken)
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
