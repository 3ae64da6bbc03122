package theoddsapi

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// A damaged part of a payload costs itself and no more: what is around it is read
// as ever. A row is kept and marked, a market is kept as RAW, and what is larger is
// left out. All of it is counted by the names below, which hold no stranger's text.
const (
	sportNoShape = "competition: cannot be read"

	eventRepeats = "fixture: a key twice"
	eventName    = "fixture: a name is no text"
	eventTime    = "fixture: commence_time is no time"
	eventSport   = "fixture: sport_key is no text"

	fixtureNoID      = "fixture: without an id"
	fixtureTwice     = "fixture: there twice"
	fixtureNoPrices  = "fixture: its bookmakers are no list"
	bookmakerNoShape = "bookmaker: cannot be read"
	bookmakerRepeats = "bookmaker: a key twice"
	bookmakerMarkets = "bookmaker: its markets are no list"
	marketNoKey      = "market: without a key"
	marketTwice      = "market: its key is there twice"
	marketRepeats    = "market: a key twice"
	marketRows       = "market: its outcomes are no list"
	rowNoObject      = "row: not an object"
	rowRepeats       = "row: a key twice"
	rowField         = "row: a field is no text"
)

// isText reports whether a value can hold a text: a string, or a number, which
// keeps its own characters.
func isText(v strictjson.Value) bool {
	return v.Kind() == strictjson.String || v.Kind() == strictjson.Number
}

// isWrong reports whether a value stands where a text is expected and is none.
func isWrong(v strictjson.Value) bool {
	return !isText(v) && v.Kind() != strictjson.Absent && v.Kind() != strictjson.Null
}

// field keeps the three states of a text: absent, null or "", and present. Numbers
// keep their own characters. What is no text was sent without a value that can be
// read.
func field(v strictjson.Value) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	if text := v.Text(); text != "" && isText(v) {
		return football.Of(text)
	}
	return football.NullField[string]()
}

// maxClip bounds what is kept of a value that is not understood, in bytes.
const maxClip = 256

// clip is the text of a value, of which no more than its beginning is kept when it
// is long and no text.
func clip(v strictjson.Value) string {
	text := v.Text()
	if isText(v) || len(text) <= maxClip {
		return text
	}
	return strings.ToValidUTF8(text[:maxClip], "") + "…"
}

// maxTally bounds how many different names are counted: they come from outside.
const maxTally = 200

// tally counts by name. The zero value is ready for use.
type tally map[string]int

func (t *tally) add(name string) {
	if *t == nil {
		*t = make(tally)
	}
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "")
	}
	if _, known := (*t)[name]; !known && len(*t) >= maxTally {
		name = "(more)"
	}
	(*t)[name]++
}

// text reads a member of an object as a text, in its three states. What is no text,
// which is counted as kind, and what is there twice was sent without a value that can
// be read.
func (t *tally) text(object strictjson.Value, key, kind string) football.Field[string] {
	v, once := object.Once(key)
	if !once {
		return football.NullField[string]()
	}
	if isWrong(v) {
		t.add(kind)
	}
	return field(v)
}
