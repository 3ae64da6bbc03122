package live_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/live"
)

// reader is a client that sees publications of one match, and remembers all of them.
type reader struct {
	states    map[string]football.VisualState // of every entry that it has seen
	first     map[string]time.Time
	entries   []football.TimelineEntry // of the newest publication
	withdrawn []football.Withdrawal
	revision  int
}

func newReader() *reader {
	return &reader{states: map[string]football.VisualState{}, first: map[string]time.Time{}}
}

// read checks a publication against the earlier ones. isDetailed reports whether it has the timeline.
func (r *reader) read(t rapid.TB, l *football.Live, isDetailed bool) {
	withdrawn := map[string]bool{}
	for _, w := range l.Withdrawn {
		switch first, isKnown := r.first[w.Entry.ID]; {
		case withdrawn[w.Entry.ID]:
			t.Fatalf("%s is withdrawn twice", w.Entry.ID)
		case !isKnown:
			t.Fatalf("never published, and withdrawn: %+v", w)
		case !w.ShownFrom.Equal(first):
			t.Fatalf("shown from %v, and says %v", first, w.ShownFrom)
		case w.At.IsZero() || w.Entry.State != r.states[w.Entry.ID]:
			t.Fatalf("%+v of %s", w, r.states[w.Entry.ID])
		case w.ReplacedBy != "" && w.ReplacedBy == w.Entry.ID:
			t.Fatalf("replaced by itself: %+v", w)
		}
		withdrawn[w.Entry.ID] = true
	}
	if !isDetailed {
		return
	}
	seen := map[string]bool{}
	for _, e := range l.Timeline {
		if !isEntryID(e.ID) {
			t.Fatalf("%q is no id, see docs/openapi.yaml", e.ID)
		}
		if seen[e.ID] || withdrawn[e.ID] {
			t.Fatalf("%s is there twice, or withdrawn as well", e.ID)
		}
		seen[e.ID] = true
		if state, isKnown := r.states[e.ID]; isKnown && state != e.State {
			t.Fatalf("%s was %s and is %s", e.ID, state, e.State)
		}
		if r.states[e.ID] = e.State; r.first[e.ID].IsZero() {
			r.first[e.ID] = l.At
		}
	}
	for id := range r.states {
		if !seen[id] && !withdrawn[id] {
			t.Fatalf("%s is lost", id)
		}
	}
	changed := !slices.EqualFunc(r.entries, l.Timeline, sameEntry) || !slices.Equal(r.withdrawn, l.Withdrawn)
	if l.Revision < r.revision || changed && l.Revision == r.revision {
		t.Fatalf("revision %d after %d, changed: %v", l.Revision, r.revision, changed)
	}
	r.entries, r.withdrawn, r.revision = l.Timeline, l.Withdrawn, l.Revision
}

var isEntryID = regexp.MustCompile(`^en_[0-9a-z]+-[0-9a-z]+$`).MatchString

// sameEntry compares what a client sees of an entry but for how long it lasts.
func sameEntry(a, b football.TimelineEntry) bool {
	a.Until, a.ListedAt, a.Half, b.Until, b.ListedAt, b.Half = time.Time{}, time.Time{}, 0, time.Time{}, time.Time{}, 0
	return a == b
}

// Whatever the feed: what was published is in the next timeline or told to be withdrawn, under its id.
func TestNothingShownIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before *live.State
		var shown live.Shown
		r, at := newReader(), start
		unpublished := false
		for range rapid.IntRange(1, 60).Draw(t, "cycles") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{8, 8, 8, 8, 30, 61, 700, -61, -900}).Draw(t, "later")) * time.Second)
			act := rapid.SampledFrom([]string{"fold", "fold", "fold", "fold", "fold", "pass", "leave"}).Draw(t, "act")
			next := apply(before, act, anySample(t, at), at)
			if unpublished {
				shown = shown.Undo()
			}
			isDetailed := rapid.IntRange(0, 9).Draw(t, "rank") > 0
			l := next.Live()
			shown = reshown(t, shown.Add(&l, before, &next, isDetailed))
			if unpublished = rapid.IntRange(0, 9).Draw(t, "publish") == 0; !unpublished {
				r.read(t, &l, isDetailed)
			}
			before = reread(t, &next)
		}
	})
}

func reshown(t rapid.TB, s live.Shown) live.Shown {
	stored := s.Encode(nil)
	read, err := live.DecodeShown(stored)
	check.Must(t, err)
	if !bytes.Equal(read.Encode(nil), stored) {
		t.Fatal("what was shown reads back differently")
	}
	return read
}

// told plays a script and returns for each step the goals of the timeline and what was withdrawn.
func told(t *testing.T, script string) (all []string) {
	t.Helper()
	var before *live.State
	var shown live.Shown
	r := newReader()
	names := map[string]string{}
	name := func(id string) string {
		if id != "" && names[id] == "" {
			names[id] = string(rune('a' + len(names)))
		}
		return names[id]
	}
	for line := range strings.Lines(strings.TrimSpace(script)) {
		next := step(t, before, strings.TrimSpace(line))
		l := next.Live()
		shown = shown.Add(&l, before, &next, true)
		r.read(t, &l, true)
		var says []string
		for _, e := range l.Timeline {
			if e.State == football.VisualGoal {
				says = append(says, name(e.ID)+":"+string(e.SideProven))
			}
		}
		for _, w := range l.Withdrawn {
			if w.Entry.State == football.VisualGoal {
				says = append(says, "-"+name(w.Entry.ID)+":"+string(w.Reason)+name(w.ReplacedBy))
			}
		}
		all = append(all, strings.Join(says, " "))
		before = &next
	}
	return all
}

func TestWithdrawnGoals(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"taken back, and given again": {`
			0 1:10:00 ss=0-0 attacks=1/1
			8 1:10:08 ss=1-0 attacks=2/1
			16 1:10:16 ss=0-0 attacks=3/1
			24 1:10:24 ss=1-0 attacks=4/1`, "|a:HOME|-a:COUNTER_FELL|a:HOME"},
		"the other side's": {`
			0 1:10:00 ss=0-0 attacks=1/1
			8 1:10:08 ss=1-0 attacks=2/1
			16 1:10:16 ss=0-1 attacks=3/1`, "|a:HOME|a:AWAY"},
		"confirmed and then corrected by the list": {`
			0 1:10:00 ss=0-0 attacks=1/1
			8 1:10:08 ss=1-0 attacks=2/1
			16 1:10:16 ss=1-0 attacks=3/1 inc=7:GOAL:11:HOME
			24 1:10:24 ss=1-0 attacks=4/1 inc=7:GOAL:10:HOME`, "|a:HOME|a:HOME|a:HOME"},
		"listed alone, and corrected": {`
			0 1:10:00 attacks=1/1
			8 1:10:08 attacks=2/1 inc=7:GOAL:4:HOME
			16 1:10:16 attacks=3/1 inc=7:GOAL:9:HOME
			24 1:10:24 attacks=3/1 inc=7:GOAL:9:AWAY`, "|a:HOME|a:HOME|a:AWAY"},
		"listed alone, and taken back": {`
			0 1:10:00 attacks=1/1
			8 1:10:08 attacks=2/1 inc=7:GOAL:4:HOME
			16 1:10:16 attacks=3/1 inc=9:CORNER:9:HOME
			24 1:10:24 attacks=3/1 inc=9:CORNER:9:HOME`, "|a:HOME|a:HOME|-a:PROVIDER_TOOK_BACK"},
	} {
		if got := strings.Join(told(t, c.script), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What a newer build stored is refused as its state is, and is not damage.
func TestShownOfAnotherVersion(t *testing.T) {
	if _, err := live.DecodeShown([]byte{2, 0}); !errors.Is(err, live.ErrVersion) {
		t.Errorf("%v", err)
	}
}
