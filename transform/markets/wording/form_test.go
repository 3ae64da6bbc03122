package wording

import (
	"testing"

	"mkt/publish/football"
)

// Every canonical market has a form or is known to have none.
func TestForms(t *testing.T) {
	unread := map[string]string{
		"REST_OF_MATCH_RESULT":                           "counts from the score at the offer: in play only",
		"REST_OF_MATCH_ASIAN_HANDICAP":                   "counts from the score at the offer: in play only",
		"HALF_TIME_FULL_TIME_AND_TOTAL_GOALS":            "no shape recorded",
		"HALF_TIME_FULL_TIME_AND_FIRST_HALF_TOTAL_GOALS": "no shape recorded",
		"HALF_TIME_FULL_TIME_AND_EXACT_GOALS":            "no shape recorded",
		"TEAM_TO_WIN":                                    "no shape recorded",
		"RESULT_AND_TOTAL_GOALS_YES_NO":                  "no shape recorded",
		"RESULT_OR_TOTAL_GOALS":                          "no shape recorded",
		"RESULT_OR_BOTH_TEAMS_TO_SCORE":                  "no shape recorded",
		"RESULT_OR_ANY_CLEAN_SHEET":                      "no shape recorded",
		"NTH_GOAL_AND_RESULT":                            "no shape recorded",
		"NTH_GOAL_BEFORE_MINUTE":                         "no shape recorded",
		"CORRECT_SCORE_GROUP":                            "no shape recorded",
	}
	for i := range football.Vocabulary() {
		term := &football.Vocabulary()[i]
		_, none := unread[term.Canonical]
		if (forms[term.Canonical] == nil) != none {
			t.Errorf("%s (%s, %s): form %v", term.Canonical, term.Selections, term.Line, !none)
		}
		delete(unread, term.Canonical)
	}
	for name := range unread {
		t.Errorf("%s is not in the vocabulary", name)
	}
}
