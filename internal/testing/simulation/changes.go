package simulation

import (
	"errors"
	"io/fs"
	"maps"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// content has the digest of each fixture of a publication.
type content map[string]string

// changes checks that a publication has exactly its own events: they lead from the content of the one before
// to its content, and each refreshed fixture has one.
func (j job) changes(states map[string]content, root durable.ReadFS, c snapshot.Commit, m snapshot.Manifest) {
	if j.product != football.MarketEngine {
		return
	}
	before, known := snapshot.Commit{}, true
	state := content{}
	if c.Version > 1 {
		from := c.Version - 1
		if c.Republishes > 0 {
			from = c.Republishes
		}
		var err error
		if before, err = snapshot.ReadCommit(root, from); err != nil {
			return // a copy may begin later
		}
		if state, known = states[before.SHA256]; !known {
			return
		}
		state = maps.Clone(state)
		if c.Republishes == 0 && c.HistoryID != before.HistoryID {
			state = content{} // the history begins with a cycle alone
		}
	}
	after, number, done := states[c.SHA256], map[string]int64{}, map[string]bool{}
	for row, err := range snapshot.Events(root, m, before.LastSeq) {
		switch {
		case err != nil:
			return // history says it
		case c.Republishes > 0, row.CycleID != string(c.CycleID), !row.PublishedAt.Equal(c.PublishedAt), done[row.FixtureID]:
			j.w.fail(ownEvents, "%s version %d of cycle %s: %s of %s at seq %d, of cycle %s, published at %s", j, c.Version, c.CycleID, row.Type, row.FixtureID, row.Seq, row.CycleID, row.PublishedAt)
		}
		done[row.FixtureID] = true
		number[row.Type]++
		apply(state, row)
	}
	if !maps.Equal(state, after) {
		j.w.fail(ownEvents, "%s version %d: its events lead from version %d to other fixtures than it has: %s", j, c.Version, before.Version, difference(state, after))
	}
	refreshed, bare, removed := m.Counters["fixtures_refreshed"]+m.Counters["fixtures_moved"], m.Counters["fixtures_without_markets"], m.Counters["fixtures_removed"]
	if n := number[publish.Updated]; c.Republishes == 0 && (n < refreshed || n > refreshed+bare || number[publish.Removed] != removed) {
		j.w.fail(ownEvents, "%s version %d: %d fixtures refreshed, %d without markets, %d removed, and the events are %v", j, c.Version, refreshed, bare, removed, number)
	}
}

// decided checks that a new publication has the fixtures that follow from the one before and from its cycle.
func (j job) decided(root durable.ReadFS, c snapshot.Commit, now content, partial bool) {
	if j.product != football.MarketEngine || c.Version < 2 {
		return
	}
	dir := layout.Cycle(layout.CanonicalDir, c.CycleID) + "/"
	m, _, err := snapshot.OpenCanonical(root, c.CycleID)
	before, err2 := snapshot.ReadCommit(root, c.Version-1)
	if err = errors.Join(err, err2); err != nil {
		j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
		return
	}
	listed, is, bare := map[string]*table.ListingRow{}, content{}, map[string]bool{}
	for row, e := range snapshot.Rows[table.ListingRow](root, dir+layout.ListingFile) {
		if err = errors.Join(err, e); e == nil {
			one := *row
			listed[row.FixtureID] = &one
		}
	}
	for row, e := range snapshot.Rows[table.FixtureRow](root, before.Dir()+"/"+layout.FixturesFile) {
		if err = errors.Join(err, e); e != nil {
			break
		}
		entry := listed[row.FixtureID]
		if isOver := entry != nil && entry.Status == "OVER"; !isOver && (entry != nil || !m.ListingComplete) && row.SourceProvider == m.Provider {
			is[row.FixtureID], bare[row.FixtureID] = row.ContentDigest, row.MarketCount == 0
			if entry != nil && entry.StartsAt != nil && (row.StartsAt == nil || !row.StartsAt.Equal(*entry.StartsAt)) { // the kick-off is another one
				is[row.FixtureID] = now[row.FixtureID]
			}
		}
	}
	if partial && errors.Is(err, fs.ErrNotExist) {
		return // a worker of a cluster does not copy all of it
	}
	for row, e := range snapshot.Rows[table.FixtureRow](root, dir+layout.FixturesFile) {
		if err = errors.Join(err, e); e != nil {
			break
		}
		entry := listed[row.FixtureID]
		isOver, isBare := entry != nil && entry.Status == "OVER", entry != nil && entry.Markets == "NONE"
		if _, known := is[row.FixtureID]; !isOver && (!isBare || !known || bare[row.FixtureID]) {
			is[row.FixtureID] = row.ContentDigest
		}
	}
	if err != nil || !maps.Equal(is, now) {
		j.w.fail(rightFixtures, "%s version %d: the fixtures should be others: %s, %v", j, c.Version, difference(is, now), err)
	}
}

func apply(to content, row *table.EventRow) {
	if row.Type == publish.Removed {
		delete(to, row.FixtureID)
	} else {
		to[row.FixtureID] = deref(row.ContentDigest)
	}
}

func difference(a, b content) string {
	for _, id := range sorted(a) {
		if a[id] != b[id] {
			return id + " " + a[id] + " or " + b[id]
		}
	}
	for _, id := range sorted(b) {
		if a[id] != b[id] {
			return id + " is missing"
		}
	}
	return "none"
}
