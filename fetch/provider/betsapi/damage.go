package betsapi

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// A damaged part of a payload affects nothing else: what is around it is read as usual.
// A row is kept and marked, a market is kept as RAW, and larger parts are left out. All
// damage is counted by the names below, which contain no text of the payload.
const (
	fixtureNoObject = "fixture: not an object"
	fixtureNoID     = "fixture: without an id"
	fixtureIDTwice  = "fixture: two ids"
	fixtureRepeats  = "fixture: a key twice"
	sectionNoShape  = "section: not an object"
	sectionRepeats  = "section: a key twice"
	sectionTime     = "section: updated_at is no time"
	sectionMarkets  = "section: its markets are no object"
	sectionTree     = "section: its tree has another shape"
	sectionTeams    = "section: the teams are no text"
	marketNoShape   = "market: not an object"
	marketTwice     = "market: its key is there twice"
	marketRepeats   = "market: a key twice"
	marketField     = "market: id or name is no text"
	marketRows      = "market: its rows are no list"
	rowNoObject     = "row: not an object"
	rowRepeats      = "row: a key twice"
	rowField        = "row: a field is no text"

	itemRepeats  = "item: a key twice"
	itemName     = "item: a name is no text"
	itemTime     = "item: time is no time"
	itemStatus   = "item: time_status is no text"
	itemOtherID  = "item: sport_id or another id is no id"
	itemScore    = "item: ss is no score"
	itemTimer    = "item: the timer cannot be read"
	itemStats    = "item: stats are no object"
	itemCounter  = "item: a counter cannot be read"
	itemEvents   = "item: events are no list"
	itemEvent    = "item: an event cannot be read"
	pagerDamaged = "pager: cannot be read"
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

// maxClip bounds what is kept of a value that is not understood, in bytes.
const maxClip = 256

// clip is the text of a value, of which no more than its beginning is kept when it
// is long and no text.
func clip(v strictjson.Value) string {
	text := v.Text()
	if isText(v) || len(text) <= maxClip {
		return text
	}
	return head(text, maxClip) + "…"
}

// head is the beginning of a text, of at most most bytes.
func head(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// text reads a member of an object as a text, in its three states. A member that is no
// text, which is counted as kind, or that occurs twice was sent without a value that
// can be read.
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

// isTwice reports whether an object has a key more than once.
func isTwice(object strictjson.Value, key string) bool {
	if !object.Repeats() {
		return false
	}
	_, once := object.Once(key)
	return !once
}
