package explain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mkt/publish/football"
)

// Target names a thing to explain: an id or a live value.
type Target struct {
	text                       string
	fixture, market, selection string
	live                       string // momentum, minute, timeline, counter, clock, score, state; "" if it is not a live value
	name                       string // of a counter
	number                     int    // of a minute or timeline entry
	added                      int    // of a minute of stoppage time, from 1; 0 outside it
}

// IsLive reports whether only live intelligence can have the target.
func (t Target) IsLive() bool { return t.live != "" }

// Forms lists the forms accepted by [ParseTarget].
const Forms = "fx_…, mk_…, sl_…, fx_…/mk_…, fx_…/mk_…/sl_…, or of a fixture in play fx_…/momentum, minute/37 or minute/45+2, timeline (or timeline/3, from 1), counter/corners, score, clock"

// ParseTarget reads an id or the path of a live value.
func ParseTarget(text string) (Target, error) {
	t := Target{text: text}
	parts := strings.Split(strings.Trim(text, "/"), "/")
	for i, part := range parts {
		switch {
		case i == 0 && football.IsFixtureID(part):
			t.fixture = part
		case i == len(parts)-1 && football.IsSelectionID(part) && (i == 0 || t.market != ""):
			t.selection = part
		case football.IsMarketID(part) && t.market == "":
			t.market = part
		case i == 1 && t.fixture != "":
			return t, t.liveValue(parts[1:])
		default:
			if part == text {
				return t, t.not(errors.New("it is not understood"))
			}
			return t, t.not(fmt.Errorf("%q is not understood", part))
		}
	}
	return t, nil
}

// liveValues are the words allowed after the id of a fixture in play.
var liveValues = []string{"momentum", "score", "clock", "timeline", "minute", "counter"}

// SplitName splits a text with teams' names instead of an id, "Arsenal/minute/37", into the names
// and the rest, "/minute/37". name is "" if the text begins with an id. Names may have slashes:
// "Bodø/Glimt".
func SplitName(text string) (name, rest string) {
	for _, prefix := range []string{"fx_", "mk_", "sl_"} {
		if strings.HasPrefix(strings.Trim(text, "/"), prefix) {
			return "", text
		}
	}
	for i, c := range text {
		if c != '/' {
			continue
		}
		word, _, _ := strings.Cut(text[i+1:], "/")
		if slices.Contains(liveValues, word) || football.IsMarketID(word) || football.IsSelectionID(word) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// liveValue parses the words after the id of a fixture in play.
func (t *Target) liveValue(words []string) error {
	t.live = words[0]
	rest := words[1:]
	if t.live == "minute" && len(rest) == 2 { // a side belongs to the same minute
		rest = rest[:1]
	}
	switch t.live {
	case "momentum", "score", "clock":
		if len(rest) == 0 {
			return nil
		}
	case "timeline":
		if len(rest) == 0 {
			return nil
		}
		return t.numbered(rest)
	case "minute":
		if len(rest) == 1 {
			minute, added, isAdded := strings.Cut(rest[0], "+")
			if n, err := strconv.Atoi(added); isAdded && err == nil && n > 0 && n < 100 {
				rest, t.added = []string{minute}, n
			}
		}
		return t.numbered(rest)
	case "counter":
		if len(rest) == 1 && slices.Contains(football.Metrics(), football.Metric(rest[0])) {
			t.name = rest[0]
			return nil
		}
		if len(rest) == 1 {
			return t.not(fmt.Errorf("there is no counter %q: %s", rest[0], metricNames()))
		}
	}
	return t.not(errors.New("no such live value"))
}

func metricNames() string {
	var names []string
	for _, m := range football.Metrics() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func (t *Target) numbered(rest []string) error {
	if len(rest) == 1 {
		n, err := strconv.Atoi(rest[0])
		if err == nil && n > 0 && n < 1000 {
			t.number = n
			return nil
		}
	}
	return t.not(errors.New("a number from 1 is missing"))
}

func (t *Target) not(err error) error { return fmt.Errorf("%q: %w; want %s", t.text, err, Forms) }

// IDs returns the ids of the target; "" for those it does not have.
func (t Target) IDs() (fixture, market, selection string) { return t.fixture, t.market, t.selection }
