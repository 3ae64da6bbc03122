package live_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/live"
)

var start = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// play runs a script, one step a line:
//
//	SECONDS CLOCK [NAME=HOME/AWAY]… [unasked] [late] [ss=H-A] [inc=ID:KIND:MINUTE:SIDE]… [status=over|halted|not|off]
//	SECONDS pass
//	SECONDS leave
//
// SECONDS count from the start. CLOCK is half:minute:second, followed by * if it is
// stopped, or - if none is sent; the second is - if it is not sent. unasked is a sample of
// an answer that has no counters, late one of a provider that renews them once a minute. A side is digits, _ if it is sent without a value, or
// - if it is not sent. A minute is 12 or 45+2. inc= is an empty list. What a line does not name is not sent.
func play(t *testing.T, script string, each func(step string, s *live.State)) *live.State {
	t.Helper()
	var state *live.State
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		next := step(t, state, line)
		state = &next
		each(line, state)
	}
	return state
}

func step(t *testing.T, state *live.State, line string) live.State {
	t.Helper()
	words := strings.Fields(line)
	seconds, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	at := start.Add(time.Duration(seconds * float64(time.Second)))
	switch words[1] {
	case "pass":
		return live.Pass(*state, at)
	case "leave":
		return live.Leave(*state, at)
	}
	return live.Fold(state, sample(t, at, words[1:]))
}

func sample(t *testing.T, at time.Time, words []string) *input.Sample {
	t.Helper()
	s := &input.Sample{ProviderFixtureID: "77", Home: football.Of("Home FC"), Away: football.Of("Away FC"),
		RetrievedAt: at, Status: input.InPlay, Clock: reading(t, words[0])}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "status":
			s.Status = map[string]input.PlayStatus{"over": input.Over, "halted": input.Halted, "not": input.NotStarted, "off": input.Off}[value]
		case "ss":
			home, away, _ := strings.Cut(value, "-")
			s.Score = football.Score{Home: football.Of(atoi(t, home)), Away: football.Of(atoi(t, away))}
		case "shootout":
			s.Clock.Shootout = true
		case "unasked":
			s.CountersNotAsked = true
		case "late":
			s.CountersLag = time.Minute
		case "inc":
			list := s.Incidents.Or([]input.Incident{})
			if value != "" {
				list = append(list, incident(t, value))
			}
			s.Incidents = football.Of(list)
		default:
			home, away, _ := strings.Cut(value, "/")
			s.Counters = append(s.Counters, football.Counter{Metric: football.Metric(name), Home: side(home), Away: side(away)})
		}
	}
	slices.SortFunc(s.Counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return s
}

func reading(t *testing.T, text string) input.ClockReading {
	t.Helper()
	if text == "-" {
		return input.ClockReading{}
	}
	text, stopped := strings.CutSuffix(text, "*")
	parts := strings.Split(text, ":")
	r := input.ClockReading{Minute: football.Of(atoi(t, parts[1])), Running: football.Of(!stopped)}
	if parts[2] != "-" {
		r.Second = football.Of(atoi(t, parts[2]))
	}
	if parts[0] != "?" {
		r.Half = football.Of(atoi(t, parts[0]))
	}
	return r
}

func incident(t *testing.T, text string) input.Incident {
	t.Helper()
	parts := strings.Split(text, ":")
	minute, added, _ := strings.Cut(parts[2], "+")
	i := input.Incident{ID: parts[0], Kind: input.IncidentKind(parts[1]), Minute: atoi(t, minute), Side: football.Side(parts[3])}
	if added != "" {
		i.Added = atoi(t, added)
	}
	return i
}

func side(text string) football.Field[football.Number] {
	if n, ok := football.ParseNumber(text); ok {
		return football.Of(n)
	}
	if text == "_" {
		return football.NullField[football.Number]()
	}
	return football.Field[football.Number]{}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	check.Must(t, err)
	return n
}

func line(s *live.State) string {
	l := s.Live()
	var b strings.Builder
	fmt.Fprintf(&b, "%6.0f %-5s ", l.At.Sub(start).Seconds(), l.Clock.Phase)
	minute, okMinute := l.Clock.Minute.Get()
	if okMinute {
		fmt.Fprintf(&b, "%3d:%02d", minute, l.Clock.Second.Or(0))
	} else {
		b.WriteString("     -")
	}
	if running, ok := l.Clock.Running.Get(); ok && !running {
		b.WriteByte('*')
	}
	b.WriteString("  " + number(l.Score.Home) + "-" + number(l.Score.Away))
	fmt.Fprintf(&b, "  %-12s %-4s %-8s", l.Visual.State, l.Visual.SideProven, l.Visual.Certainty)
	if m := l.Momentum; m.Available() {
		fmt.Fprintf(&b, "  %d/%d %s %s", m.Home, m.Away, m.Leader, m.Strength)
	} else {
		fmt.Fprintf(&b, "  %s", m.Reason)
	}
	return strings.TrimRight(b.String(), " ")
}

func number(f football.Field[int]) string {
	if v, ok := f.Get(); ok {
		return strconv.Itoa(v)
	}
	return map[football.State]string{football.Missing: "?", football.Null: "_"}[f.State()]
}

func whole(s *live.State) string {
	l := s.Live()
	var b strings.Builder
	b.WriteString("timeline\n")
	for _, e := range l.Timeline {
		fmt.Fprintf(&b, "  %6s %-12s %-4s %-8s %5.0f to %.0f\n", place(e), e.State, e.SideProven, e.Certainty,
			e.At.Sub(start).Seconds(), e.Until.Sub(start).Seconds())
	}
	fmt.Fprintf(&b, "buckets, most %d, last minute %d\n", l.Series.Max, l.Series.MaxMinute)
	for from := 0; from < len(l.Series.Buckets); {
		to := from
		for to+1 < len(l.Series.Buckets) && l.Series.Buckets[from].State != football.BucketValue && l.Series.Buckets[to+1].State == l.Series.Buckets[from].State {
			to++
		}
		first, last := l.Series.Buckets[from], l.Series.Buckets[to]
		if to > from {
			fmt.Fprintf(&b, "  %s-%s %s\n", minute(first), minute(last), first.State)
		} else {
			fmt.Fprintf(&b, "  %s %s %d/%d\n", minute(first), first.State, first.Home, first.Away)
		}
		from = to + 1
	}
	for _, p := range l.Periods {
		fmt.Fprintf(&b, "half %d %s %d/%d, %d of %d minutes %d/%d\n", p.Half, p.State, p.Home, p.Away, p.Known, p.Minutes, p.KnownHome, p.KnownAway)
	}
	for _, c := range l.Counters {
		fmt.Fprintf(&b, "counter %s %s %s/%s\n", c.Metric, c.State(), digits(c.Home), digits(c.Away))
	}
	return b.String()
}

func place(e football.TimelineEntry) string {
	minute, ok := e.Minute.Get()
	if !ok {
		return "-"
	}
	if second, ok := e.Second.Get(); ok {
		return fmt.Sprintf("%d%s:%02d", minute, added(e), second)
	}
	return fmt.Sprintf("%d%s:--", minute, added(e))
}

func added(e football.TimelineEntry) string {
	if e.Added == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", e.Added)
}

func minute(b football.Bucket) string {
	if b.Added > 0 {
		return fmt.Sprintf("%d+%d", b.Minute, b.Added)
	}
	return strconv.Itoa(b.Minute)
}

func digits(f football.Field[football.Number]) string {
	if v, ok := f.Get(); ok {
		return v.Text()
	}
	return map[football.State]string{football.Missing: "-", football.Null: "_"}[f.State()]
}
