package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mkt/fetch/simulator"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// playing is what the provider of an account said of one match in play, up to its newest answer.
type playing struct {
	heard   time.Time // newest answer that listed the match, by the clock of the machine that asked
	scores  [][2]int  // said by that answer and those after it, the newest last
	rises   [2][]goal // goals of each side that the score has now
	goals   []goal    // on the newest list of events
	viewed  time.Time // when the list of events was read
	since   []goal    // on any list since the newest publication that was judged
	earlier []goal    // on any list before it, and since the one before that
	known   bool      // the score was heard before
	doubted time.Time // when an answer after that had a fault, so that nobody knows how much of it was understood; zero: never
	taken   int       // goals taken back
	fresh   time.Time // the newest publication's time of its sample
}

// goal is a goal as the provider shows it.
type goal struct {
	side          simulator.Side
	minute, added int       // of the list of events
	from, to      time.Time // when the score rose; zero if it had the goal from the beginning
}

// String returns when and where a goal was, for a failure.
func (g goal) String() string {
	if g.minute > 0 {
		return fmt.Sprintf("side %d in minute %d+%d", g.side, g.minute, g.added)
	}
	return fmt.Sprintf("side %d from %s to %s", g.side, g.from.Format(time.TimeOnly), g.to.Format(time.TimeOnly))
}

// isLive reports whether a request is for the matches in play, or for their events.
func isLive(provider string, r *http.Request) (list, events bool) {
	if provider != "betsapi" {
		return false, false
	}
	return strings.HasSuffix(r.URL.Path, "/events/inplay"), strings.HasSuffix(r.URL.Path, "/event/view")
}

// tells notes what the provider says of the matches in play in the answer to a request, before it is sent.
func (a *account) tells(l *life, r *http.Request, fault simulator.FaultKind) {
	list, events := isLive(a.provider, r)
	if !list && !events {
		return
	}
	s, now := a.server(""), l.machine.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := strings.Split(r.URL.Query().Get("event_id"), ",")
	for _, m := range s.InPlay(a.secret) {
		if events && !slices.Contains(ids, m.EventID) {
			continue
		}
		p := a.playing[m.EventID]
		if p == nil {
			p = &playing{}
			a.playing[m.EventID] = p
		}
		if fault != "" {
			if p.doubted.IsZero() {
				p.doubted = now
			}
			continue
		}
		sent := m.Sent(s.Now())
		if !sent.Begun {
			continue
		}
		from := now
		if !p.doubted.IsZero() {
			from = p.doubted
		}
		if list {
			p.heard, p.scores, p.doubted = now, nil, time.Time{}
		}
		p.score(sent.Score, from, now)
		if events && !m.WithoutTimeline {
			p.viewed, p.goals = now, goalsOf(&m, sent.At.Sub(m.Whistle))
			p.since = append(p.since, p.goals...)
		}
	}
}

// score notes a score. A higher one has goals from a time between two others, a lower one takes back the
// newest goals.
func (p *playing) score(score [2]int, from, to time.Time) {
	for side, n := range score {
		for len(p.rises[side]) < n {
			g := goal{side: simulator.Side(side)}
			if p.known {
				g.from, g.to = from, to.Add(time.Minute) // the answer arrives later
			}
			p.rises[side] = append(p.rises[side], g)
		}
		if more := len(p.rises[side]) - n; more > 0 {
			p.rises[side] = p.rises[side][:n]
			p.taken += more
		}
	}
	p.scores, p.known = append(p.scores, score), true
}

// goalsOf returns the goals on the provider's list of events at a time of the match.
func goalsOf(m *simulator.MeantMatch, at time.Duration) (goals []goal) {
	for _, r := range m.Reported() {
		if r.Kind == simulator.Goal && r.Appears <= at && (r.Withdrawn == 0 || at < r.Withdrawn) {
			minute, added := r.Clock.Minute()
			goals = append(goals, goal{side: r.Side, minute: minute, added: added})
		}
	}
	return goals
}

// agrees checks a new live publication: the score of a match is one that the provider said last, no more
// goals are on its timeline than in its score, and each of them is one that the provider still has. leapt says that
// the machine's clock was not always right.
func (b *book) agrees(root durable.ReadFS, j job, c snapshot.Commit, now time.Time, leapt bool) {
	if j.product != football.LiveIntelligence || c.Version == 0 {
		return
	}
	shown := map[string][]shownGoal{}
	for row, err := range snapshot.Rows[table.LiveTimelineRow](root, c.Dir()+"/"+layout.LiveTimelineFile) {
		if err != nil {
			b.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
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
			b.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
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
		b.judged++
		if fault := p.disagrees([2]int{int(*row.ScoreHome), int(*row.ScoreAway)}, shown[row.FixtureID], earlier); fault != "" {
			b.w.fail(liveAgrees, "%s version %d: %s %s–%s: %s", j, c.Version, row.FixtureID, deref(row.Home), deref(row.Away), fault)
		}
	}
}

// shownGoal is a goal on a published timeline.
type shownGoal struct {
	side          int
	minute, added int  // of play, from 1
	isListed      bool // the provider's list has it
	at            time.Time
}

// disagrees says in which way a score and the goals on its timeline differ from what the provider said; ""
// if they do not. A goal that the newest list lacks may be there if one of the lists before, earlier, had it: an
// event is withdrawn if two lists lack it.
func (p *playing) disagrees(score [2]int, timeline []shownGoal, earlier []goal) string {
	if !slices.Contains(p.scores, score) {
		return fmt.Sprintf("score %v, and the provider said %v", score, p.scores)
	}
	if p.scores[0] != p.scores[len(p.scores)-1] {
		return "" // it changed during the cycle
	}
	var number [2]int
	listed, rises := slices.Clone(p.goals), [2][]goal{slices.Clone(p.rises[0]), slices.Clone(p.rises[1])}
	for _, shown := range timeline {
		side := shown.side
		if number[side]++; number[side] > score[side] {
			return fmt.Sprintf("the timeline has %d goals of side %d, and the score is %v", number[side], side, score)
		}
		if !shown.isListed {
			at := slices.IndexFunc(rises[side], func(g goal) bool { return g.from.IsZero() || !shown.at.Before(g.from) && shown.at.Before(g.to) })
			if at < 0 {
				return fmt.Sprintf("the timeline has a goal of side %d from %s, and those of the score are %v", side, shown.at, p.rises[side])
			}
			rises[side] = slices.Delete(rises[side], at, at+1)
			continue
		}
		if p.viewed.Before(p.heard) {
			continue
		}
		is := func(g goal) bool { return int(g.side) == side && shown.isIn(g) }
		at := slices.IndexFunc(listed, is)
		if at < 0 && slices.ContainsFunc(earlier, is) {
			continue
		}
		if at < 0 {
			return fmt.Sprintf("the timeline has a goal of side %d in minute %d, and the provider lists %+v", side, shown.minute, p.goals)
		}
		listed = slices.Delete(listed, at, at+1)
	}
	return ""
}

// isIn reports whether a goal is in the minute of one on the provider's list. In stoppage time the minute
// on the scoreboard is the end of the half.
func (s *shownGoal) isIn(g goal) bool {
	if s.added > 0 || g.added > 0 {
		return s.added == g.added
	}
	return s.minute == g.minute
}
