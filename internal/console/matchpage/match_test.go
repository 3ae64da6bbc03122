package matchpage

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

func of[T any](v T) *T { return &v }

var kickOff = time.Date(2026, 3, 7, 15, 0, 0, 0, time.UTC)

// moment is a state at a second of a half. A negative home means no momentum, for the reason.
func moment(half, second, home int, reason football.UnavailableReason) football.Live {
	clock := begins[half] + second
	phase := map[int]football.Phase{1: football.FirstHalf, 2: football.SecondHalf}[half]
	at := kickOff.Add(time.Duration(clock+(half-1)*900) * time.Second)
	l := football.Live{Fixture: football.Fixture{FetchedAt: at}, InPlay: true, At: at,
		Clock: football.Clock{Phase: phase, Minute: football.Of(clock / 60), Second: football.Of(clock % 60)}, Momentum: football.Momentum{Reason: reason, Home: home, Away: 100 - home}}
	for _, metric := range charted {
		n, _ := football.ParseNumber(fmt.Sprint(second / 50))
		c := football.Counter{Metric: metric, Home: football.Of(n), Away: football.Of(n)}
		if metric == football.OnTarget && second >= 600 && second < 900 {
			c.Home, c.Away = football.NullField[football.Number](), football.NullField[football.Number]()
		}
		if metric == football.OffTarget && second >= 600 && second < 900 {
			continue
		}
		if metric == football.Corners && second >= 1200 {
			less, _ := football.ParseNumber("3")
			c.Home, c.Away = football.Of(less), football.Of(less)
		}
		l.Counters = append(l.Counters, c)
	}
	return l
}

// sample is a match in its second half with a hole, names that need escaping, and every state
// of a minute.
func sample() *Match {
	now := kickOff.Add(80 * time.Minute)
	m := &Match{
		Row: table.LiveRow{FixtureID: "fx_a", Home: of(`</title><script>alert("1")</script>`), Away: of("A & B's"), League: of("<i>League"), InPlay: true, At: now, FreshAt: now, StaleAt: of(now.Add(time.Minute)),
			ClockPeriod: of("2H"), ClockMinute: of(int32(65)), ClockSecond: of(int32(0)), ClockRunning: of(true), ScoreHome: of(int32(1)), ScoreAway: of(int32(0)),
			VisualState: of("PRESSURE"), VisualSide: of("HOME"), VisualCertainty: of("INFERRED"), MomentumHome: of(int32(61)), MomentumAway: of(int32(39)), MomentumLeader: of("HOME"), MomentumStrength: of("CLEAR"),
			DetailRank: of(int32(3)), SourceProvider: "betsapi", ProviderFixtureID: "9001", ProviderFetchedAt: now, Absent: []string{"starts_at"}},
		Counters: []table.LiveCounterRow{{Metric: "corners", State: "VALUE", HomeText: of("4"), AwayText: of("2")}, {Metric: "red_cards", State: "NULL"}},
		Buckets: []table.LiveBucketRow{{Minute: 1, State: "VALUE", Home: of(int32(3)), Away: of(int32(1))}, {Minute: 2, State: "ZERO", Home: of(int32(0)), Away: of(int32(0))},
			{Minute: 3, State: "MISSING"}, {Minute: 4, State: "NULL"}, {Minute: 45, Added: 2, State: "VALUE", Home: of(int32(2)), Away: of(int32(6))}, {Minute: 46, State: "VALUE", Home: of(int32(1)), Away: of(int32(0))}},
		Periods: []table.LivePeriodRow{{Half: 1, State: "VALUE", Home: of(int32(5)), Away: of(int32(7))}, {Half: 2, State: "MISSING"}},
		Commit:  snapshot.Commit{Version: 7, CycleID: "20260307T162000Z-live_intelligence", ManifestSHA256: strings.Repeat("ab", 32)},
		Manifest: snapshot.Manifest{ClientID: "acme", CycleID: layout.CycleID("20260307T162000Z-live_intelligence"), ProcessedAt: &now, PublishedAt: &now,
			DerivationVersion: "live-1", BinaryVersion: "test"},
		Now: now, MadeBy: "mkt test", Command: "mkt live show --html",
	}
	m.Row.Withdrawn = []table.WithdrawnRow{{State: "GOAL", SideProven: "AWAY", Minute: of(int32(45)), Second: of(int32(0)), Added: of(int32(3)), WithdrawnAt: now, Reason: "COUNTER_FELL"},
		{State: "CARD", SideProven: "NONE", WithdrawnAt: now, Reason: "PROVIDER_TOOK_BACK"}, {State: "CALM", SideProven: "NONE", WithdrawnAt: now, Reason: "REPLACED"}}
	entry := func(half, minute int, state, side, certainty string) {
		at := kickOff.Add(time.Duration(minute) * time.Minute)
		m.Timeline = append(m.Timeline, table.LiveTimelineRow{Ordinal: int32(len(m.Timeline)), At: at, Until: at.Add(time.Minute),
			Half: of(int32(half)), Minute: of(int32(minute)), Second: of(int32(0)), State: state, SideProven: side, Certainty: certainty})
	}
	entry(1, 0, "KICK_OFF", "NONE", "INFERRED")
	entry(1, 12, "GOAL", "HOME", "EXACT")
	entry(1, 45, "CARD", "AWAY", "INFERRED") // in stoppage time of the first half
	entry(1, 45, "HALF_TIME", "NONE", "EXACT")
	entry(2, 47, "CORNER", "AWAY", "UNKNOWN")
	entry(2, 52, "STALE", "NONE", "UNKNOWN")
	entry(2, 53, "PENALTY", "NONE", "INFERRED")                                                                                              // a shoot-out, and no penalty
	m.Timeline = append(m.Timeline, table.LiveTimelineRow{At: now, Until: now, State: "PENALTY", SideProven: "HOME", Certainty: "INFERRED"}) // without a timer
	for second := 8; second <= 47*60; second += 8 {
		home, reason := 40+second/100, football.UnavailableReason("")
		if second < 120 {
			home, reason = 0, football.InsufficientSamples
		}
		if second > 1500 && second < 2000 {
			continue // no cycle ran
		}
		m.Past = append(m.Past, moment(1, second, home, reason))
	}
	for second := 0; second <= 20*60; second += 8 {
		home, reason := 61, football.UnavailableReason("")
		if second > 300 && second < 600 {
			home, reason = 0, football.FeedStale
		}
		m.Past = append(m.Past, moment(2, second, home, reason))
	}
	return m
}

func written(t *testing.T, m *Match) string {
	t.Helper()
	var b strings.Builder
	check.Must(t, m.Write(&b))
	return b.String()
}

// parse reads the page as XML, which is stricter than HTML, and returns its text and every
// attribute by name.
func parse(t *testing.T, text string) (words string, attributes map[string][]string) {
	t.Helper()
	attributes = map[string][]string{}
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return words, attributes
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			words += string(token)
		case xml.StartElement:
			if token.Name.Local == "script" {
				t.Error("a script got in")
			}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = append(attributes[a.Name.Local], a.Value)
			}
		}
	}
}

func TestPage(t *testing.T) {
	text := written(t, sample())
	words, attributes := parse(t, text)
	for _, want := range []string{`</title><script>alert("1")</script>`, "A & B's", "<i>League", "65:00, second half", "pressure, ", "61", "presses clearly more",
		"12:00", "13'", "1–0", "GOAL", "EXACT", "INFERRED", "UNKNOWN", "First half", "VALUE", "MISSING", "Red cards: sent without a value", "starts at: the provider did not send it",
		"00:00 to 02:00 (too little was seen yet)", "24:56 to 33:20 (nothing was seen)", "49:56 to 55:00 (the feed was silent)", "acme", "version 7", strings.Repeat("ab", 32), "live-1", "9001",
		"45+3' Goal A & B's: the counter fell", "Card: the provider took it back",
		"Momentum is known for 52 of 67 minutes of play; marked: 1 × goal, 1 × card, 1 × corner."} {
		if !strings.Contains(words, want) {
			t.Errorf("nothing of %q", want)
		}
	}
	if strings.Contains(words, "in its place") {
		t.Error("a state of play was taken back")
	}
	seen := map[string]bool{}
	for _, id := range attributes["id"] {
		if seen[id] {
			t.Errorf("id %s twice", id)
		}
		seen[id] = true
	}
	for _, id := range attributes["aria-describedby"] {
		if !seen[id] {
			t.Errorf("described by %s, which is nowhere", id)
		}
	}
	labelled := 0
	for _, label := range attributes["aria-label"] {
		if strings.Contains(label, "half") {
			labelled++
		}
	}
	if labelled != 12 { // six figures of two halves
		t.Errorf("%d labelled panels", labelled)
	}
	for _, name := range []string{"href", "src", "style", "onload", "onclick", "action"} {
		if len(attributes[name]) > 0 {
			t.Errorf("%s: %v", name, attributes[name])
		}
	}
	if outside := regexp.MustCompile(`(?i)(https?:|@import|url\([^#]|file:|//[a-z])`).FindString(text); outside != "" {
		t.Errorf("not self-contained: %s", outside)
	}
}

// Every state of a minute is drawn differently.
func TestStatesOfMinutes(t *testing.T) {
	m := sample()
	v := m.view()
	var got []string
	for _, p := range v.Bars[0].Panels {
		for _, b := range p.Bars {
			got = append(got, string(b.State))
		}
	}
	if strings.Join(got, " ") != "VALUE ZERO MISSING NULL VALUE VALUE" {
		t.Error(got)
	}
	text := written(t, m)
	for state, shape := range map[string]string{"VALUE": `<rect class="bar-home"`, "ZERO": `<circle class="zero"`, "NULL": `<rect class="null"`, "MISSING": `fill="url(#hatch)"`} {
		for other, group := range map[string]string{"VALUE": "", "ZERO": "", "NULL": "", "MISSING": ""} {
			group = regexp.MustCompile(`<g class="minute ` + other + `">.*?</g>`).FindString(text)
			if strings.Contains(group, shape) != (state == other) || group == "" {
				t.Errorf("%s is drawn as %s: %s", other, state, group)
			}
		}
	}
}

// The bars of a counter show its rises. If it was absent or null there is no bar, and none is
// invented for the next minute.
func TestCounterBars(t *testing.T) {
	m := sample()
	states := map[string]map[string]bar{}
	for _, f := range m.view().Bars[1:] {
		states[f.Name] = map[string]bar{}
		for _, p := range f.Panels {
			for _, b := range p.Bars {
				states[f.Name][b.minute] = b
			}
		}
	}
	for name, want := range map[string]map[int]football.BucketState{
		"Dangerous attacks by minute": {1: football.BucketMissing, 2: football.BucketValue, 11: football.BucketValue, 27: football.BucketMissing, 30: football.BucketMissing, 36: football.BucketValue},
		"Shots on target by minute":   {10: football.BucketValue, 11: football.BucketNull, 15: football.BucketNull, 16: football.BucketMissing, 17: football.BucketValue},
		"Shots off target by minute":  {10: football.BucketValue, 11: football.BucketMissing, 15: football.BucketMissing, 16: football.BucketMissing, 17: football.BucketValue},
		"Corners by minute":           {20: football.BucketValue, 21: football.BucketZero, 22: football.BucketZero},
	} {
		for minute, state := range want {
			if got := states[name][fmt.Sprint(minute)]; got.State != state {
				t.Errorf("%s %d: %s, want %s", name, minute, got.State, state)
			}
		}
	}
	if b := states["Corners by minute"]["21"]; !b.Fallen || b.home != 0 || b.HomeHeight != 0 {
		t.Errorf("a counter that fell: %+v", b)
	}
	for minute, state := range map[string]football.BucketState{"45+1": football.BucketValue, "45+2": football.BucketValue, "46": football.BucketZero} {
		if got := states["Dangerous attacks by minute"][minute]; got.State != state {
			t.Errorf("dangerous attacks of minute %s: %s, want %s", minute, got.State, state)
		}
	}
	if b := states["Dangerous attacks by minute"]["10"]; b.home < 1 || b.home > 2 {
		t.Errorf("a rise of one in fifty seconds: %+v", b)
	}
}

// Events are on the curve of their half, with the minute as a scoreboard has it, and goals with
// the score.
func TestMarks(t *testing.T) {
	m := sample()
	x := m.axis()
	f := m.momentum(x)
	marks := map[string]mark{}
	for i, p := range f.Panels {
		for _, k := range p.Marks {
			marks[fmt.Sprint(k.Kind, i+1)] = k
		}
	}
	if len(marks) != 3 {
		t.Errorf("%d marks; the penalty has no place on the clock: %v", len(marks), marks)
	}
	if k := marks["card1"]; k.X < x.of(1, 45*60) || k.X > x.Halves[0].To || k.Label != "45+1'" {
		t.Errorf("a card in stoppage time: %+v, the half ends at %v", k, x.Halves[0].To)
	}
	if k := marks["corner2"]; k.X < x.Halves[1].From || k.X > x.of(2, 3*60) || k.Class != "unknown" || k.Label != "" {
		t.Errorf("a corner of the second half: %+v, it begins at %v", k, x.Halves[1].From)
	}
	k := marks["goal1"]
	if k.Class != "exact" || k.Label != "13' 1–0" || k.Title != "13' goal, "+*m.Row.Home+", exact" {
		t.Errorf("%+v", k)
	}
	if want := f.heightOf(float64(40 + 720/100)); k.Y != want { // the momentum at 12:00
		t.Errorf("the goal is at height %v, the curve at %v", k.Y, want)
	}
}

// In stoppage time of a half that is over, the timeline has 45:00. The archive knows the minute, and
// without it the page does not invent one.
func TestStoppage(t *testing.T) {
	m := sample()
	at := kickOff.Add((47*60 - 5) * time.Second)
	m.Timeline = []table.LiveTimelineRow{{At: at, Until: at, Half: of(int32(1)), Minute: of(int32(45)), Second: of(int32(0)), State: "GOAL", SideProven: "HOME", Certainty: "EXACT"}}
	if got := m.minuteOf(&m.Timeline[0]); got != "45+2'" {
		t.Errorf("with the archive %q", got)
	}
	m.Past = nil
	if got := m.minuteOf(&m.Timeline[0]); got != "45+'" {
		t.Errorf("without the archive %q", got)
	}
}

// Of a counter that never rose no highest number is told.
func TestHighestNumber(t *testing.T) {
	m := sample()
	m.Buckets = m.Buckets[:4]
	if text := m.pressure(m.axis()).Text; text != "1 minute with a number, 1 of zero, 1 missing, 1 sent without a value; the highest number is 3." {
		t.Error(text)
	}
	m.Buckets = m.Buckets[1:2]
	if text := m.pressure(m.axis()).Text; text != "0 minutes with a number, 1 of zero, 0 missing." {
		t.Error(text)
	}
}

// A score is written beside goals only if the timeline has all of them.
func TestScores(t *testing.T) {
	m := sample()
	if got := m.scores(); got[1] != "1–0" || len(got) != 1 {
		t.Error(got)
	}
	m.Row.ScoreHome = of(int32(2)) // a goal that nobody saw
	if got := m.scores(); len(got) != 0 {
		t.Errorf("with a goal missing from the timeline: %v", got)
	}
}

// The axis reaches as far as the curve, and not less than ten points.
func TestScale(t *testing.T) {
	for home, want := range map[int]int{50: 10, 55: 10, 61: 12, 20: 30, 100: 50, 0: 50} {
		m := sample()
		m.Past = []football.Live{moment(1, 8, home, ""), moment(1, 16, home, "")}
		f := m.momentum(m.axis())
		if f.Most != want {
			t.Errorf("a lead of %d: the axis ends at %d, want %d", home-50, f.Most, want)
		}
		if y := f.heightOf(float64(home)); y < f.Top || y > f.Bottom {
			t.Errorf("%d is drawn outside the figure, at %v", home, y)
		}
	}
}

// Labels do not cover each other.
func TestLabels(t *testing.T) {
	m := sample()
	m.Timeline = nil
	for minute := int32(10); minute < 16; minute++ {
		m.Timeline = append(m.Timeline, table.LiveTimelineRow{Half: of(int32(1)), Minute: of(minute), Second: of(int32(0)), State: "GOAL", SideProven: "HOME", Certainty: "EXACT"})
	}
	f := m.momentum(m.axis())
	seen := map[string]bool{}
	for _, k := range f.Panels[0].Marks {
		if k.LabelY < 0 || k.LabelY > f.Top {
			t.Errorf("the label %q is at %v, the curve begins at %v", k.Label, k.LabelY, f.Top)
		}
		place := fmt.Sprint(k.Row, int(k.LabelX/30))
		if seen[place] {
			t.Errorf("two labels at %s", place)
		}
		seen[place] = true
	}
}

var number = regexp.MustCompile(`[ML](-?[0-9.]+) `)

// For any data, no curve enters a gap, no gap covers a number, and together they cover all play.
func TestGapsAreGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sample()
		m.Past, m.Timeline = nil, nil
		available := map[int]bool{}
		second, there := 0, true
		for second < 2700 {
			second += rapid.SampledFrom([]int{8, 8, 8, 8, 8, 8, 40, 70, 300}).Draw(t, "step")
			if rapid.IntRange(0, 9).Draw(t, "turn") == 0 {
				there = !there
			}
			home, reason := rapid.IntRange(0, 100).Draw(t, "home"), football.UnavailableReason("")
			if !there {
				home, reason = 0, football.FeedStale
			}
			available[second] = there
			m.Past = append(m.Past, moment(1, second, home, reason))
		}
		x := m.axis()
		f := m.momentum(x)
		gaps, curves := f.Panels[0].Gaps, f.Panels[0].Curves
		for _, g := range gaps {
			for _, c := range curves {
				for _, found := range number.FindAllStringSubmatch(c.Line, -1) {
					if at, _ := strconv.ParseFloat(found[1], 64); at > g.X+0.2 && at < g.X+g.Width-0.2 {
						t.Fatalf("the curve %s is in the gap from %d to %d", c.Line, g.From, g.To)
					}
				}
			}
			for s, is := range available {
				if is && s > g.From && s < g.To {
					t.Fatalf("the gap from %d to %d covers the number at %d", g.From, g.To, s)
				}
			}
		}
		for s, is := range available {
			if is {
				continue
			}
			covered := false
			for _, g := range gaps {
				covered = covered || g.From <= s && s <= g.To
			}
			if !covered {
				t.Fatalf("there is no number at %d, and no gap", s)
			}
		}
		points := 0
		for _, c := range curves {
			points += len(c.points)
		}
		numbers := 0
		for _, is := range available {
			if is {
				numbers++
			}
		}
		if points != numbers {
			t.Fatalf("%d points of %d numbers", points, numbers)
		}
	})
}

// If nothing is archived, only the newest moment is drawn.
func TestWithoutPast(t *testing.T) {
	m := sample()
	m.Past = nil
	f := m.momentum(m.axis())
	if c := f.Panels[1].Curves; len(f.Panels[0].Curves) != 0 || len(c) != 1 || len(c[0].points) != 1 || c[0].Line != "" || len(f.gaps()) != 2 {
		t.Errorf("%+v, gaps %+v", c, f.gaps())
	}
	if words, _ := parse(t, written(t, m)); !strings.Contains(words, "no archived cycle of the match is kept") {
		t.Error("it does not say so")
	}
	m.Now = m.Now.Add(time.Hour)
	if f := m.momentum(m.axis()); len(f.Panels[1].Curves) != 0 {
		t.Errorf("stale: %+v", f.Panels[1].Curves)
	}
	if words, _ := parse(t, written(t, m)); !strings.Contains(words, "the feed was silent") || !strings.Contains(words, "reported nothing new for 60 min") {
		t.Error("stale: it does not say so")
	}
}

// The page can be written even if nothing is known.
func TestNothingKnown(t *testing.T) {
	m := &Match{Row: table.LiveRow{FixtureID: "fx_a", InPlay: true, UnavailableReason: of("NOT_IN_PLAY")}, Now: kickOff}
	words, _ := parse(t, written(t, m))
	for _, want := range []string{"? ? : ? ?", "league not known", "no clock was sent", "Momentum now: no play is reported.", "NOT_IN_PLAY", "of the detail set only", "The provider sends none"} {
		if !strings.Contains(words, want) {
			t.Errorf("nothing of %q in %s", want, words)
		}
	}
	if f := m.momentum(m.axis()); len(f.gaps())+len(f.Panels[0].Curves)+len(f.Panels[1].Curves) > 0 {
		t.Errorf("%+v", f)
	}
}

// The played part is drawn in its half, at every stage of a match.
func TestHalves(t *testing.T) {
	for _, c := range []struct {
		period       string
		minute       int32
		halves, last int // drawn halves, and the current half
	}{
		{"1H", 47, 2, 1}, {"HT", 45, 2, 1}, {"2H", 46, 2, 2}, {"2H", 97, 2, 2}, {"FT", 96, 2, 2}, {"BREAK", 90, 2, 2}, {"ET_1H", 92, 3, 3}, {"BREAK", 105, 3, 3},
		{"ET_2H", 106, 4, 4}, {"ET_2H", 123, 4, 4}, {"PEN", 120, 4, 4}, {"FT", 120, 4, 4},
	} {
		m := sample()
		m.Past, m.Timeline = nil, nil
		m.Row.ClockPeriod, m.Row.ClockMinute = of(c.period), of(c.minute)
		m.Buckets = append(m.Buckets, table.LiveBucketRow{Minute: min(c.minute+1, int32((begins[c.last]+lasts[c.last])/60)), State: "ZERO", Home: of(int32(0)), Away: of(int32(0))})
		x := m.axis()
		if len(x.Halves) != c.halves {
			t.Errorf("%s %d: %d halves, want %d", c.period, c.minute, len(x.Halves), c.halves)
		}
		parse(t, written(t, m))
	}
}

// A card has the colour of the counter of its side that rose with it.
func TestCardColours(t *testing.T) {
	number := func(text string) football.Field[football.Number] {
		n, _ := football.ParseNumber(text)
		return football.Of(n)
	}
	at := func(second int, yellowHome, redAway string) football.Live {
		return football.Live{Fixture: football.Fixture{FetchedAt: kickOff.Add(time.Duration(second) * time.Second)}, Counters: []football.Counter{
			{Metric: football.YellowCards, Home: number(yellowHome), Away: number("0")}, {Metric: football.RedCards, Home: number("0"), Away: number(redAway)}}}
	}
	m := &Match{Past: []football.Live{at(0, "0", "0"), at(8, "1", "0"), at(16, "1", "0"), at(300, "1", "0"), at(308, "1", "1")}}
	for _, c := range []struct {
		second int
		side   string
		want   string
	}{{8, "HOME", "yellow-card"}, {8, "NONE", "yellow-card"}, {8, "AWAY", "card"}, {300, "AWAY", "red-card"}, {320, "HOME", "card"}, {150, "HOME", "card"}} {
		e := &table.LiveTimelineRow{At: kickOff.Add(time.Duration(c.second) * time.Second), State: "CARD", SideProven: c.side}
		if got := m.card(e); got != c.want {
			t.Errorf("%d s, %s: %s, want %s", c.second, c.side, got, c.want)
		}
	}
}

// The part of the archive not read yet is not drawn as a stretch without momentum.
func TestUnread(t *testing.T) {
	m := sample()
	if html := written(t, m); !strings.Contains(html, `class="no-momentum"`) || strings.Contains(html, `class="unread"`) {
		t.Error("a match that was read")
	}
	m.Past, m.Tracing = nil, "The archive is being read: 3 of 700 cycles."
	if html := written(t, m); strings.Contains(html, `class="no-momentum"`) || !strings.Contains(html, `class="unread"`) {
		t.Error("a match that is being read")
	}
}

// The label of the last minute of stoppage time is neither cut off nor touches the one before it.
func TestStoppageTimeLabel(t *testing.T) {
	const letter = 9.0
	for added := 1; added <= 12; added++ {
		m := &Match{Row: table.LiveRow{InPlay: true, ClockPeriod: of("1H"), ClockMinute: of(int32(45 + added - 1)), ClockSecond: of(int32(30))}}
		x := m.axis()
		ticks := x.Ticks(x.Halves[0])
		full, last := ticks[3], ticks[len(ticks)-1]
		from, to := last.X, last.X+letter*float64(len(last.Text))
		if last.Anchor == "middle" {
			half := letter * float64(len(last.Text)) / 2
			from, to = last.X-half, last.X+half
		}
		if last.Text != fmt.Sprintf("+%d", added) || full.Text != "45'" || full.Anchor != "end" || from <= full.X || to > width {
			t.Errorf("%d minutes: %+v ends at %.1f of %.1f, %+v", added, last, to, width, full)
		}
	}
}
