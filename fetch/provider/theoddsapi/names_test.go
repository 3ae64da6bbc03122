package theoddsapi

import (
	"strings"
	"testing"

	"mkt/fetch/mapping"
	"mkt/internal/testing/mappingtest"
	"mkt/internal/testing/needs"
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
	if !strings.HasPrefix(everyMarket(), "h2h,spreads,totals,alternate_spreads,") || len(met) != 46 {
		t.Errorf("%d markets: %s", len(met), everyMarket())
	}
}

// Every key of the vocabulary's list has a line that agrees with it or says why not, and no other
// key has one.
func TestVocabulary(t *testing.T) {
	differ := map[string]bool{"alternate_spreads_cards": true, "alternate_totals_cards": true}
	listed := 0
	mappingtest.CheckVocabulary(t, needs.Shared(t, "vocabulary/map/theoddsapi.csv"), table().ByKey, differ, func(l []string, e *mapping.Entry) bool {
		listed++
		return !differ[l[0]] || e.Reading == nil
	})
	if listed++; listed != len(table().ByKey) || table().ByKey["player_to_score_or_assist"] == nil { // which the list does not have
		t.Errorf("%d lines, the vocabulary has %d", len(table().ByKey), listed)
	}
}
