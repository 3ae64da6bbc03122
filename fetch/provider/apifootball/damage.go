package apifootball

// A damaged part of a payload affects nothing else: a row is kept and marked, a market is
// kept as RAW, and larger parts are left out. All damage is counted by the names below,
// which contain no text of the payload.
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
	fixtureOthers     = "fixture: with prices of other bookmakers alone"
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
	rowNoText         = "value: without its text"
	rowNoPrice        = "value: without a price"
	rowNoObject       = "value: not an object"
	rowRepeats        = "value: a key twice"
	rowField          = "value: a field is no text"
)
