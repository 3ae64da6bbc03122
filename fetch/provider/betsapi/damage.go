package betsapi

import (
	"mkt/fetch/internal/strictjson"
)

// A damaged part of a payload affects nothing else: the parts around it are read as usual.
// A row is kept and marked, a market is kept as RAW, and larger parts are left out. All
// damage is counted by the names below, which contain no text of the payload.
const (
	fixtureNoObject = "fixture: not an object"
	fixtureNoID     = "fixture: without an id"
	fixtureIDTwice  = "fixture: two ids"
	fixtureRepeats  = "fixture: a key twice"
	fixtureEvents   = "fixture: there twice, as two events"
	sectionNoShape  = "section: not an object"
	sectionRepeats  = "section: a key twice"
	sectionTime     = "section: updated_at is no time"
	sectionMarkets  = "section: its markets are no object"
	sectionRenamed  = "section: without its markets, and with an unknown member"
	sectionTree     = "section: its tree has another shape"
	sectionTeams    = "section: the teams are no text"
	marketNoShape   = "market: not an object"
	marketTwice     = "market: its key is there twice"
	marketRepeats   = "market: a key twice"
	marketField     = "market: id or name is no text"
	marketRows      = "market: its rows are no list"
	marketRenamed   = "market: without its rows or its id, and with an unknown member"
	rowRenamed      = "row: without a price, and with an unknown member"
	rowNull         = "row: null, where there is always a value"
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

// isTwice reports whether an object has a key more than once.
func isTwice(object strictjson.Value, key string) bool {
	if !object.Repeats() {
		return false
	}
	_, once := object.Once(key)
	return !once
}
