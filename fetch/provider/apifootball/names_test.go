package apifootball

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/internal/testing/mappingtest"
	"mkt/internal/testing/needs"
)

// TestTable: every line is found by its id, and has the name of a bet if it is mapped.
func TestTable(t *testing.T) {
	mappingtest.CheckLines(t, table())
	for match, e := range table().ByKey {
		id, other := strings.CutSuffix(match, exactlyLine)
		if len(e.IDs) != 1 || e.IDs[0] != id {
			t.Errorf("%s: ids %v", match, e.IDs)
		}
		if other && (e.Reading == nil || e.Reading.Condition != input.NeedsExactly || table().ByKey[id] == nil || table().ByKey[id].Key != e.Key) {
			t.Errorf("%s: not the other line of the bet", match)
		}
		if e.Reading != nil && e.Key == "" {
			t.Errorf("%s: mapped without a name", match)
		}
	}
	if len(table().ByName)+len(table().ByRow) > 0 {
		t.Error("lines that are never looked up")
	}
}

// better are the verdicts of the vocabulary's list that the table does not share; the head
// of bets.csv says why.
var better = map[string]bool{"2": true, "82": true, "197": true, "198": true, "336": true, "118": true, "119": true, "120": true, "121": true,
	"227": true, "228": true, "229": true, "230": true, "245": true, "246": true, "330": true, "331": true, "332": true, "333": true}

// TestVocabularyIsCarriedOver holds the table against the list it comes from.
func TestVocabularyIsCarriedOver(t *testing.T) {
	mappingtest.CheckVocabulary(t, needs.Shared(t, "vocabulary/map/apifootball_prematch.csv"), table().ByKey, better, func(listed []string, e *mapping.Entry) bool { return e.Key == listed[1] })
}

// TestNamesAreTheProviders holds the names against the provider's own list of bets.
func TestNamesAreTheProviders(t *testing.T) {
	body, err := os.ReadFile(needs.Shared(t, "providers/apifootball/odds_bets/all.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Response []struct {
			ID   int
			Name string
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	for _, bet := range list.Response {
		if e := table().ByKey[strconv.Itoa(bet.ID)]; e == nil || e.Key != bet.Name {
			t.Errorf("%d %s: %+v", bet.ID, bet.Name, e)
		}
	}
	if len(list.Response) < 300 {
		t.Errorf("only %d bets", len(list.Response))
	}
}
