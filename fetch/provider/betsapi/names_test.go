package betsapi

import (
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/internal/testing/mappingtest"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
)

// blocks of the table, by the kind of their lines.
func blocks() map[string]map[string]*mapping.Entry {
	return map[string]map[string]*mapping.Entry{"key": table().ByKey, "name": table().ByName, "row": table().ByRow}
}

// TestTable: every claim is one of the vocabulary, every line can be found by
// the provider's words, and a key is one market in every shape.
func TestTable(t *testing.T) {
	for kind, block := range blocks() {
		for match, e := range block {
			switch {
			case kind == "key" && match == e.Key+halfLines:
				continue // another market on purpose
			case kind == "key" && (match != e.Key || makeKey(match) != match):
				t.Errorf("key %s: no key, or another's", match)
			case kind != "key" && normalName(match) != match:
				t.Errorf("%s %q: will never be met", kind, match)
			}
			first := table().ByKey[e.Key]
			if first == nil {
				t.Errorf("%s %s: its key %s has no line", kind, match, e.Key)
				continue
			}
			if (e.Reading == nil) != (first.Reading == nil) {
				t.Errorf("%s %s: RAW under one name only", kind, match)
				continue
			}
			if e.Reading == nil {
				continue
			}
			r, f := *e.Reading, *first.Reading
			if r.Rule = f.Rule; r.Condition == "" || kind == "row" {
				r.Condition = f.Condition
			}
			if r != f {
				t.Errorf("%s %s: %+v, its key says %+v", kind, match, r, f)
			}
			term, ok := football.Lookup(r.Market)
			if !ok || r.Condition != input.NeedsHalves && !term.AllowsPeriod(r.Period) {
				t.Errorf("%s %s: no such market: %s %s", kind, match, r.Market, r.Period)
			}
		}
	}
}

// TestLines checks every line. The parameter of the exception can be in the rows.
func TestLines(t *testing.T) { mappingtest.CheckLines(t, table(), "PLAYER_TO_SCORE_N_OR_MORE") }

// TestVocabularyIsCarriedOver holds the table against the lists it comes from.
// Three verdicts are better known from the recordings.
func TestVocabularyIsCarriedOver(t *testing.T) {
	better := map[string]bool{"first_10_minutes_(00:00_09:59)": true, "to_score_in_half": true}
	mappingtest.CheckVocabulary(t, needs.Shared(t, "vocabulary/map/bet365_betsapi.csv"), table().ByKey, better, func([]string, *mapping.Entry) bool { return true })
	mappingtest.CheckVocabulary(t, needs.Shared(t, "vocabulary/map/bet365_prematch_names.csv"), table().ByName, better, func(listed []string, e *mapping.Entry) bool {
		return slices.Contains(e.IDs, listed[1])
	})
}

func TestMakeKey(t *testing.T) {
	for name, want := range map[string]string{
		"First 10 Minutes (00:00 - 09:59)":         "first_10_minutes_(00:00_09:59)",
		"Both Teams to Score 1st Half - 2nd Half ": "both_teams_to_score_1st_half_2nd_half",
		"To go to Super Over?":                     "to_go_to_super_over?",
		"Player to be Booked\r\n":                  "player_to_be_booked",
		"Corners 2-Way":                            "corners_2_way",
	} {
		if got := makeKey(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
