package apifootball

import (
	"fmt"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// readEnvelope returns the envelope and the items of an archived answer, which may have been
// parsed before. It is an error if the bytes do not parse, if the envelope has a key twice or
// reports an error, or if there is no list: nothing in an answer with a damaged envelope can be
// trusted.
func readEnvelope(d *strictjson.Document, p provider.Payload) (envelope, items strictjson.Value, err error) {
	if envelope, err = decode.Root(d, p); err != nil {
		return envelope, items, err
	}
	if envelope.Repeats() {
		return envelope, items, fmt.Errorf("the envelope has a key twice")
	}
	if _, said := errorIn(envelope.Get(api.KeyErrors)); said {
		return envelope, items, fmt.Errorf("the envelope reports an error")
	}
	if items = envelope.Get(api.KeyResponse); items.Kind() != strictjson.Array {
		return envelope, items, fmt.Errorf("%s is no list", api.KeyResponse)
	}
	return envelope, items, nil
}

// paging is the page of an answer, the number of pages, and the number of its items.
type paging struct{ current, total, results int }

// readPaging reads the paging of an answer. It is not ok if the paging cannot be read, or if
// the answer has another number of items than it says.
func readPaging(envelope strictjson.Value) (p paging, ok bool) {
	const most = 1 << 20
	v := envelope.Get(api.KeyPaging)
	current, okCurrent := decode.Whole(v.Get(api.KeyCurrent), most)
	total, okTotal := decode.Whole(v.Get(api.KeyTotal), most)
	results, okResults := decode.Whole(envelope.Get(api.KeyResults), most)
	if !okCurrent || !okTotal || !okResults || v.Repeats() || results != envelope.Get(api.KeyResponse).Len() {
		return paging{}, false
	}
	return paging{current, total, results}, true
}

// identifier returns an id: digits other than zero, sent as a number or as text; ""
// for anything else. The provider writes 0 for an id it does not know.
func identifier(v strictjson.Value) string {
	id := decode.ID(v)
	if len(id) > 18 || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// adapter is the provider's market adapter. It has no state.
type adapter struct{ decode.MarketEndpoints }

// isBookmaker reports whether a name can be a bookmaker's id: one to four digits.
func isBookmaker(name string) bool {
	return decode.IsDigits(name) && len(name) <= 4 && name[0] != '0'
}

// DefaultBookmaker is Bet365, which offers the most bets.
const DefaultBookmaker = "8"
