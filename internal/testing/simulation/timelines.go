package simulation

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// timelines are what publications had of the timelines of an account.
type timelines struct {
	newest  snapshot.Commit
	matches map[string]timeline
	states  map[string]string // by id of an entry
}

// timeline is that of a match in the newest publication that had it.
type timeline struct {
	revision   int32
	entries    string // but the newest one
	newest     string // without until
	withdrawn  string
	ids        []string
	isDetailed bool
}

// mostWithdrawn is how many withdrawals of a match a publication has at most.
const mostWithdrawn = 200

// told checks that a new live publication says what became of each entry of the one before: see docs/clients.md. leapt
// says that the machine's clock was not always right.
func (j job) told(root durable.ReadFS, c snapshot.Commit, leapt bool) {
	if j.product != football.LiveIntelligence || c.Version == 0 {
		return
	}
	now := map[string]timeline{}
	fail := func(fixture, format string, args ...any) {
		j.w.fail(changesTold, "%s version %d: %s: "+format, append([]any{j, c.Version, fixture}, args...)...)
	}
	seen := map[string]string{}
	for row, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
		if err != nil {
			j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		id, t := strings.Clone(row.FixtureID), timeline{withdrawn: jsonOf(row.Withdrawn), isDetailed: row.DetailRank != nil}
		if row.TimelineRevision == nil {
			fail(id, "no revision")
			return
		}
		t.revision = *row.TimelineRevision
		for _, w := range row.Withdrawn {
			if seen[w.EntryID] != "" {
				fail(id, "%s is withdrawn twice", w.EntryID)
			}
			if !leapt && (w.WithdrawnAt.Before(w.ShownFrom) || w.WithdrawnAt.After(row.At)) {
				fail(id, "%s was shown from %s and withdrawn at %s, and it is %s", w.EntryID, w.ShownFrom.Format(time.TimeOnly), w.WithdrawnAt.Format(time.TimeOnly), row.At.Format(time.TimeOnly))
			}
			seen[strings.Clone(w.EntryID)] = "withdrawn"
		}
		now[id] = t
	}
	states, last := map[string]string{}, ""
	for row, err := range snapshot.Rows[table.LiveTimelineRow](root, c.Dir()+"/"+layout.LiveTimelineFile) {
		if err != nil {
			j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		fixture := strings.Clone(row.FixtureID)
		if row.EntryID == nil {
			fail(fixture, "an entry without an id")
			return
		}
		id, t := strings.Clone(*row.EntryID), now[fixture]
		if seen[id] != "" {
			fail(fixture, "%s is %s, and on the timeline", id, seen[id])
		}
		seen[id], states[id], t.ids = "on the timeline", strings.Clone(row.State), append(t.ids, id)
		if len(t.ids) > 1 {
			t.entries += last
		}
		last = jsonOf(row)
		row.Until = time.Time{} // of the newest entry, unless another one follows
		t.newest = jsonOf(row)
		now[fixture] = t
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	before := &j.timelines
	if before.newest.HistoryID != c.HistoryID || before.newest.Version >= c.Version {
		*before = timelines{states: map[string]string{}}
	}
	for id, state := range states {
		if was := before.states[id]; was != "" && was != state {
			fail(id, "it was %s and is %s", was, state)
		}
	}
	for id, t := range now {
		was, known := before.matches[id]
		if !known {
			continue
		}
		isOther := was.withdrawn != t.withdrawn || was.isDetailed && t.isDetailed && (was.entries != t.entries || was.newest != t.newest)
		if t.revision < was.revision || isOther && t.revision == was.revision {
			fail(id, "the revision was %d and is %d; withdrawn were %s and are %s", was.revision, t.revision, was.withdrawn, t.withdrawn)
		}
		if !t.isDetailed || strings.Count(t.withdrawn, `"EntryID"`) == mostWithdrawn {
			continue
		}
		for _, entry := range was.ids {
			j.followed++
			if seen[entry] == "" {
				fail(id, "%s (%s) was on the timeline and is nowhere", entry, before.states[entry])
			}
		}
	}
	maps.Copy(before.states, states)
	before.newest, before.matches = c, now
}

func jsonOf(rows any) string {
	text, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return string(text)
}
