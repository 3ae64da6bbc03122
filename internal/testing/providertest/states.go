package providertest

import (
	"encoding/json"
	"slices"
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// threeStates checks the three states of a price: removed from the payload it is missing,
// null is null, and a zero is a zero; the rows stay.
func (s Suite) threeStates(t *testing.T) {
	edited := 0
	for name, x := range s.markets() {
		_, before, err := s.read(x)
		if err != nil {
			continue // another test reports it
		}
		for _, c := range []struct {
			what  string
			to    string // JSON, in quotes where the price has them; "" removes
			state football.State
		}{
			{"removed", "", football.Missing}, {"null", "null", football.Null}, {"zero", "0", football.Present},
		} {
			v, n := parseTree(t, x.Body), 0
			v.edit(func(key string, value *tree) bool {
				if !slices.Contains(s.Price, key) || value.text() == "" {
					return true
				}
				n++
				if to := c.to; to == "0" && value.scalar[0] == '"' {
					value.scalar = json.RawMessage(`"0"`)
				} else {
					value.scalar = json.RawMessage(to)
				}
				return c.to != ""
			})
			if n == 0 {
				continue
			}
			edited++
			_, after, err := s.read(Sample{x.Endpoint, v.bytes()})
			if err != nil {
				t.Errorf("%s, prices %s: %v", name, c.what, err)
				continue
			}
			was, is := prices(before), prices(after)
			if len(was) != len(is) {
				t.Errorf("%s, prices %s: %d rows became %d", name, c.what, len(was), len(is))
				continue
			}
			for i := range was {
				if price, ok := is[i].Get(); was[i].State() == football.Present && (is[i].State() != c.state || ok && price != "0") {
					t.Errorf("%s, prices %s: %q became %v %q", name, c.what, was[i].Or(""), is[i].State(), price)
				}
			}
		}
	}
	if edited == 0 {
		t.Error("no sample has a price to take away")
	}
}

// prices lists the price of every row, in whichever form it has.
func prices(s provider.Sheet) (all []football.Field[string]) {
	for _, f := range s.Fixtures {
		for _, o := range f.Offers {
			for _, r := range o.Rows {
				price := r.Decimal
				if r.Fractional.State() > price.State() {
					price = r.Fractional
				}
				all = append(all, price)
			}
		}
	}
	return all
}
