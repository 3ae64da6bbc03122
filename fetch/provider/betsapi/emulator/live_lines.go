package emulator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// liveLine is one line of the timeline, and when it appears.
type liveLine struct {
	appears   time.Duration // since the whistle
	withdrawn time.Duration // 0: never
	text      string
}

// appendLines writes events: the visible lines at the moment, in the order in
// which they were written. Some events have no timeline at all.
func appendLines(b []byte, m *feed.Match, s *feed.Sent) []byte {
	if !hasTimeline(m.Fixture) {
		return b
	}
	at := s.At.Sub(m.Whistle)
	b = append(b, `,"events":[`...)
	n, second := 0, time.Duration(-1)
	for _, l := range liveLines(m, at) {
		n++
		if l.appears.Truncate(time.Second) != second {
			n, second = 0, l.appears.Truncate(time.Second)
		}
		if l.withdrawn != 0 && at >= l.withdrawn {
			continue
		}
		b = strconv.AppendInt(append(b, `{"id":"`...), lineID(m, second, n), 10)
		b = appendText(append(b, `","text":`...), l.text)
		b = append(b, "},"...)
	}
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, ']')
}

// lineID grows with the time of writing. 16 lines of one second are more than
// there ever are.
func lineID(m *feed.Match, appears time.Duration, n int) int64 {
	return (m.Whistle.Add(appears).Unix()-1_700_000_000)*1024 + int64(m.Fixture.Lot(64, oddLineID))*16 + int64(n)
}

// liveLines are the lines written until a moment, withdrawn ones included.
func liveLines(m *feed.Match, at time.Duration) []liveLine {
	w := lineWriter{m: m, at: at, old: m.Fixture.League.Tier == 3 || m.Fixture.Lot(4, oddOldLines) == 0}
	w.incidents()
	if m.Fixture.League.Human() {
		w.intervals()
	}
	w.periods()
	slices.SortStableFunc(w.lines, func(a, b liveLine) int { return cmp.Compare(a.appears, b.appears) })
	return w.lines
}

type lineWriter struct {
	m     *feed.Match
	at    time.Duration
	old   bool // the form of 2017: fewer lines, and 0-0 instead of 0:0
	lines []liveLine
}

func (w *lineWriter) add(appears, withdrawn time.Duration, text string) {
	w.lines = append(w.lines, liveLine{appears, withdrawn, text})
}

// incidents writes the incidents, and who was first to some corners.
func (w *lineWriter) incidents() {
	var goals, corners, yellows int
	var race [2]int
	for _, t := range w.m.Reported() {
		if t.Appears > w.at {
			break
		}
		minute, team := minuteText(t.Clock), [...]string{w.m.Fixture.Home.Name, w.m.Fixture.Away.Name}[t.Side]
		switch t.Kind {
		case play.Goal:
			w.add(t.Appears, t.Withdrawn, minute+goalText(t, team, goals+1))
			if t.Withdrawn == 0 {
				goals++
			}
		case play.Corner:
			corners++
			w.add(t.Appears, 0, fmt.Sprintf("%s%s Corner - %s", minute, ordinal(corners), team))
			if race[t.Side]++; raced(race, t.Side) {
				w.add(t.Appears, 0, fmt.Sprintf("%sRace to %d Corners - %s", minute, race[t.Side], team))
			}
		case play.YellowCard:
			yellows++
			w.add(t.Appears, 0, fmt.Sprintf("%s%s Yellow Card - %s (%s)", minute, ordinal(yellows), t.Player, team))
		case play.RedCard:
			w.add(t.Appears, 0, fmt.Sprintf("%s Red Card -  (%s)", minute, team))
		case play.Substitution:
			w.add(t.Appears, 0, fmt.Sprintf("%sSubstitution - %s for %s (%s)", minute, t.Player, t.Second, team))
		}
	}
}

// intervalLines are the sums of every ten minutes.
var intervalLines = []struct {
	name    string
	metrics []play.Metric
	old     bool // in the form of 2017 as well
}{
	{"Cards", []play.Metric{play.YellowCards, play.RedCards}, false},
	{"Corners", []play.Metric{play.Corners}, true},
	{"Goals", []play.Metric{play.Goals}, true},
	{"Throw Ins", []play.Metric{play.ThrowIns}, false},
	{"Goal Kicks", []play.Metric{play.GoalKicks}, false},
	{"Free Kicks", []play.Metric{play.FreeKicks}, false},
}

// intervals sums up ten minutes at a time, the last ten of normal time never.
func (w *lineWriter) intervals() {
	periods := w.m.Periods()
	var before play.Counts
	for i := range 8 {
		end := time.Duration(i+1) * 10 * time.Minute
		p := periods[min(int(end/(45*time.Minute)), 1)]
		over := p.From + end - p.Base
		appears := over + time.Duration(2+w.m.Fixture.Lot(10, oddLineDelay, uint64(i)))*time.Second
		if appears > w.at || over > p.To {
			return
		}
		now := w.m.True(w.m.Whistle.Add(over - time.Second/10))
		w.interval(appears, &before, &now, i)
		before = now
	}
}

func (w *lineWriter) interval(appears time.Duration, before, now *play.Counts, i int) {
	between := ":"
	if w.old {
		between = "-"
	}
	for _, l := range intervalLines {
		if w.old && !l.old || !w.m.Covers(l.metrics[0]) {
			continue
		}
		var n [2]int32
		for side := range n {
			for _, m := range l.metrics {
				n[side] += now[side][m] - before[side][m]
			}
		}
		w.add(appears, 0, fmt.Sprintf("%d%s%d %s %d0:00 - %d9:59", n[0], between, n[1], l.name, i, i))
	}
}

// periods writes the score at the end of each half.
func (w *lineWriter) periods() {
	for i, p := range w.m.Periods()[:2] {
		appears := p.To + time.Duration(4+w.m.Fixture.Lot(20, oddLineDelay, 50, uint64(i)))*time.Second
		if appears > w.at {
			return
		}
		counts := w.m.True(w.m.Whistle.Add(p.To))
		score := scoreText(counts.Score())
		text := "Score After " + [...]string{"First Half", "Full Time"}[i] + " - " + score
		if w.old && i == 0 {
			text = score + ": First Half score"
		}
		w.add(appears, 0, text)
	}
}
