package providertest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// texts are all texts of a payload: its strings, keys, numbers and words.
type texts map[string]bool

func (s Suite) textsOf(body []byte) texts {
	all := make(texts)
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch v := token.(type) {
		case string:
			all[v] = true
			if s.Packed != nil {
				for _, part := range s.Packed(v) {
					all[part] = true
				}
			}
		case json.Number:
			all[v.String()] = true
		case bool:
			all[map[bool]string{true: "true", false: "false"}[v]] = true
		}
	}
}

// nothingInvented checks that every text of a reading, odds among them, is in the
// payload byte for byte. Label fields may have a prefix.
func (s Suite) nothingInvented(t *testing.T) {
	for name, x := range s.Samples {
		l, sheet, err := s.read(x)
		if err != nil {
			continue // another test reports it
		}
		in := s.textsOf(x.Body)
		check := func(what string, f football.Field[string]) {
			if text, ok := f.Get(); ok && !in[text] {
				t.Errorf("%s: %s %q is not in the payload", name, what, text)
			}
		}
		for id, f := range l.Fixtures {
			check("fixture", football.Of(id))
			check("home", f.Home)
			check("away", f.Away)
			check("league", f.League)
		}
		for _, f := range sheet.Fixtures {
			check("fixture", football.Of(f.Fixture.ProviderFixtureID))
			for _, o := range f.Offers {
				s.checkOffer(o, check)
			}
		}
	}
}

func (s Suite) checkOffer(o input.Offer, check func(string, football.Field[string])) {
	check("name", o.Name)
	for _, section := range o.Sections {
		check("section", football.Of(section))
	}
	for _, id := range o.ProviderIDs {
		check("market id", football.Of(id))
	}
	for _, r := range o.Rows {
		check("row id", r.ID)
		check("decimal odds", r.Decimal)
		check("fractional odds", r.Fractional)
		for _, l := range r.Labels {
			if r.Trouble == "" {
				check("label", football.Of(l.Text))
				check("label field", football.Of(l.Field[strings.LastIndexByte(l.Field, '.')+1:]))
			}
		}
	}
}
