package apifootball

import (
	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// A damaged part of a payload costs itself and no more: a row is kept and marked, a
// market is kept as RAW, and what is larger is left out. All of it is counted by the
// names below, which hold no stranger's text.
const (
	itemRepeats  = "item: a key twice"
	itemName     = "item: a name is no text"
	itemTime     = "item: the timestamp is no time"
	itemStatus   = "item: the status is no text"
	itemScore    = "item: the goals are no number"
	itemClock    = "item: the clock cannot be read"
	itemEvents   = "item: events are no list"
	itemEvent    = "item: an event cannot be read"
	itemStats    = "item: the statistics are no list of both teams"
	itemCounter  = "item: a counter cannot be read"
	pagingBroken = "paging: cannot be read"

	fixtureNoObject   = "fixture: not an object"
	fixtureNoID       = "fixture: without an id"
	fixtureTwice      = "fixture: there twice"
	fixtureRepeats    = "fixture: a key twice"
	fixtureBookmakers = "fixture: its bookmakers are no list"
	bookmakerNoObject = "bookmaker: not an object"
	bookmakerTwice    = "bookmaker: there twice"
	bookmakerRepeats  = "bookmaker: a key twice"
	bookmakerBets     = "bookmaker: its bets are no list"
	betNoObject       = "bet: not an object"
	betNoID           = "bet: without an id"
	betTwice          = "bet: its id is there twice"
	betRepeats        = "bet: a key twice"
	betField          = "bet: its name is no text"
	betValues         = "bet: its values are no list"
	rowNoObject       = "value: not an object"
	rowRepeats        = "value: a key twice"
	rowField          = "value: a field is no text"
)

// maxTally bounds how many different names are counted: they come from outside.
const maxTally = 200

// manyMore counts what found no room.
const manyMore = "(more)"

// tally counts by name. The zero value is ready.
type tally map[string]int

func (t *tally) add(name string) {
	if *t == nil {
		*t = make(tally)
	}
	name = head(name, 64)
	if _, known := (*t)[name]; !known && len(*t) >= maxTally {
		name = manyMore
	}
	(*t)[name]++
}

// text reads a member of an object as a text, in its three states. What is no text,
// which is counted as kind, and what is there twice was sent without a value that can be
// read.
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

// unmet counts the members of an object that have not been met before.
func (t *tally) unmet(object strictjson.Value, what string, met map[string]bool) {
	for name := range object.Members() {
		if !met[name] {
			t.add(what + "." + name)
		}
	}
}

// setOf is a set of words.
func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
