package theoddsapi

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"mkt/fetch/mapping/mappingtest"
	"mkt/internal/needs"
)

// Every line has a key of the provider, and no other lines are there.
func TestTable(t *testing.T) {
	mappingtest.CheckLines(t, table())
	for key, e := range table().ByKey {
		if key != e.Key || !isKey(key) {
			t.Errorf("%s: the key is %s", key, e.Key)
		}
	}
	if len(table().ByName)+len(table().ByRow) > 0 {
		t.Error("the provider has only keys")
	}
	if line := table().Rule("theoddsapi/theoddsapi.csv:h2h"); !strings.HasPrefix(line, "key,h2h,h2h,") {
		t.Errorf("the rule of h2h is %q", line)
	}
}

// The list of every market can be sent to the provider: keys without blanks, each once, the
// featured ones first, and none that stays RAW.
func TestEveryMarket(t *testing.T) {
	met := make(map[string]bool)
	for _, key := range strings.Split(everyMarket(), ",") {
		if met[key] || table().ByKey[key] == nil || table().ByKey[key].Reading == nil {
			t.Errorf("%q is asked for", key)
		}
		met[key] = true
	}
	if !strings.HasPrefix(everyMarket(), "h2h,spreads,totals,alternate_spreads,") || len(met) != 43 {
		t.Errorf("%d markets: %s", len(met), everyMarket())
	}
}

// Every key of the vocabulary's list has a line that agrees with it or says why not.
func TestVocabulary(t *testing.T) {
	text, err := os.Open(needs.Shared(t, "vocabulary/map/theoddsapi.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	lines, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	differ := map[string]bool{"correct_score": true, "correct_score_h1": true, "alternate_spreads_cards": true, "alternate_totals_cards": true}
	for _, l := range lines[1:] {
		e := table().ByKey[l[0]]
		switch {
		case e == nil:
			t.Errorf("%s has no line", l[0])
		case differ[l[0]]:
			if e.Reading != nil {
				t.Errorf("%s is mapped", l[0])
			}
		case e.Reading == nil && l[5] != "RAW", e.Reading != nil && (e.Reading.Market != l[2] || e.Reading.Period != l[3] || e.Reading.Subject != l[4]):
			t.Errorf("%s: %+v, want %v", l[0], e.Reading, l)
		}
	}
	if len(lines)-1 != len(table().ByKey) {
		t.Errorf("%d lines, the vocabulary has %d", len(table().ByKey), len(lines)-1)
	}
}
