package simulation

import (
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// agrees checks a new live publication: the score of a match is one that the provider said last, no more
// goals are on its timeline than in its score, and each of them is one that the provider still has. leapt says that
// the machine's clock was not always right.
func (j job) agrees(root durable.ReadFS, c snapshot.Commit, now time.Time, leapt bool) {
	if j.product != football.LiveIntelligence || c.Version == 0 {
		return
	}
	shown := map[string][]shownGoal{}
	for row, err := range snapshot.Rows[table.LiveTimelineRow](root, c.Dir()+"/"+layout.LiveTimelineFile) {
		if err != nil {
			j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		side := slices.Index([]string{string(football.SideHome), string(football.SideAway)}, row.SideProven)
		if row.State == string(football.VisualGoal) && side >= 0 {
			g := shownGoal{side: side, isListed: row.Certainty == string(football.Exact), at: row.At}
			if row.Minute != nil {
				g.minute = int(*row.Minute) + 1
			}
			if row.Added != nil {
				g.added = int(*row.Added)
			}
			id := strings.Clone(row.FixtureID)
			shown[id] = append(shown[id], g)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for row, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
		if err != nil {
			j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return
		}
		p := j.playing[deref(row.ProviderEventID)]
		if p == nil {
			continue
		}
		isNew := !row.FreshAt.Equal(p.fresh)
		p.fresh = row.FreshAt
		earlier := slices.Concat(p.earlier, p.since)
		if isNew && len(p.since) > 0 {
			p.earlier, p.since = p.since, nil
		}
		if !p.doubted.IsZero() || !row.InPlay || row.ScoreHome == nil || row.ScoreAway == nil {
			continue
		}
		// Samples are not used while the feed stands still, and not after the clock was set back, until it
		// shows the time of the newest sample again.
		if !isNew || row.FreshAt.Before(p.heard) || row.FreshAt.After(now) {
			continue
		}
		// After the clock was set back, the time of the newest sample of a match that no list has is not known. Its
		// row must be stale from the beginning, and say so in the time of its retrieval too.
		if leapt && row.StaleAt != nil && !row.StaleAt.After(row.At) && !row.ProviderFetchedAt.After(*row.StaleAt) {
			continue
		}
		j.judged++
		if fault := p.disagrees([2]int{int(*row.ScoreHome), int(*row.ScoreAway)}, shown[row.FixtureID], earlier); fault != "" {
			j.w.fail(liveAgrees, "%s version %d: %s %s–%s: %s", j, c.Version, row.FixtureID, deref(row.Home), deref(row.Away), fault)
		}
	}
}
