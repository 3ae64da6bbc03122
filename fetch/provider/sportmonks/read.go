package sportmonks

import (
	"fmt"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// readEnvelope returns the envelope and the data of an archived answer, which may have been
// parsed before. An answer that found nothing has an empty list, or a message and no data. It is
// an error if the bytes do not parse, if the envelope has a key twice, or if it has neither data
// nor a message.
func readEnvelope(d *strictjson.Document, p provider.Payload) (envelope, data strictjson.Value, err error) {
	if envelope, err = decode.Root(d, p); err != nil {
		return envelope, data, err
	}
	if envelope.Repeats() {
		return envelope, data, fmt.Errorf("the envelope has a key twice")
	}
	switch data = envelope.Get(api.KeyData); data.Kind() {
	case strictjson.Array, strictjson.Object:
		return envelope, data, nil
	case strictjson.Absent, strictjson.Null:
		if foundNothing(envelope) {
			return envelope, strictjson.Value{}, nil
		}
	}
	return envelope, strictjson.Value{}, fmt.Errorf("%s is neither a list nor an object", api.KeyData)
}

// foundNothing reports whether an envelope says that nothing was found. It says the same
// if the plan does not include the request.
func foundNothing(envelope strictjson.Value) bool {
	m := envelope.Get(api.KeyMessage)
	return m.Kind() == strictjson.String && strings.HasPrefix(m.Text(), api.NoResult)
}

// itemsOf yields the items of a list, or the one object in its place.
func itemsOf(data strictjson.Value) func(yield func(strictjson.Value) bool) {
	if data.Kind() == strictjson.Object {
		return func(yield func(strictjson.Value) bool) { yield(data) }
	}
	return data.Items()
}

// A damaged part of a payload affects nothing else. All damage is counted by the names
// below, which contain no text of the payload.
const (
	itemRepeats  = "item: a key twice"
	itemTeams    = "item: the participants cannot be read"
	itemLeague   = "item: the league cannot be read"
	itemTime     = "item: starting_at cannot be read"
	itemState    = "item: state_id is no id"
	itemSport    = "item: sport_id is no id"
	itemScores   = "item: the scores cannot be read"
	itemPeriods  = "item: the periods cannot be read"
	itemCounter  = "item: a counter cannot be read"
	itemStats    = "item: the statistics are no list"
	itemEvents   = "item: the events are no list"
	itemEvent    = "item: an event cannot be read"
	itemOdds     = "item: the odds are no list"
	itemNoOdds   = "item: without odds"
	itemTwice    = "item: there twice"
	itemOthers   = "item: with prices of other bookmakers alone"
	rowNoObject  = "row: not an object"
	rowFixture   = "row: without the id of a fixture"
	rowMarket    = "row: without the id of a market"
	rowBookmaker = "row: without the id of a bookmaker"
	rowRepeats   = "row: a key twice"
	rowNoLabel   = "row: without a label"
	rowNoPrice   = "row: without a price"
	rowPrices    = "row: two prices that contradict each other"
	rowField     = "row: a field is no text"
	rowFlag      = "row: a flag is neither true nor false"
)

// adapter is the provider's market adapter. It has no state.
type adapter struct{ decode.MarketEndpoints }

// isBookmaker reports whether a name can be a bookmaker_id.
func isBookmaker(name string) bool {
	return decode.IsDigits(name) && len(name) <= 6 && name[0] != '0'
}
