package football_test

import (
	"regexp"
	"strings"
	"testing"

	"mkt/publish/football"
)

func TestVocabulary(t *testing.T) {
	name := regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)
	kinds := map[football.LineKind]bool{football.NoLine: true, football.TotalLine: true, football.WholeTotalLine: true,
		football.AsianHandicap: true, football.EuropeanHandicap: true, football.CountLine: true, football.RangeLine: true,
		football.OrdinalLine: true, football.TimeLine: true, football.ScoreAtOffer: true}
	seen := map[string]bool{}
	for _, term := range football.Vocabulary() {
		if !name.MatchString(term.Canonical) || seen[term.Canonical] {
			t.Errorf("%q: not a name, or twice", term.Canonical)
		}
		seen[term.Canonical] = true
		for _, p := range term.Periods {
			if p != football.Interval && !football.ValidPeriod(p) {
				t.Errorf("%s: period %q", term.Canonical, p)
			}
		}
		for _, k := range strings.Split(string(term.Line), "+") {
			if !kinds[football.LineKind(k)] {
				t.Errorf("%s: line kind %q", term.Canonical, k)
			}
		}
		if term.Meaning == "" || term.Selections == "" || term.Subject == "" || !name.MatchString(term.Dimension) {
			t.Errorf("%s: something is empty", term.Canonical)
		}
		if got, ok := football.Lookup(term.Canonical); !ok || got.Canonical != term.Canonical {
			t.Errorf("%s: not found", term.Canonical)
		}
	}
	if len(seen) != 203 {
		t.Errorf("%d terms, want 203", len(seen))
	}
	if _, ok := football.Lookup("total_goals"); ok {
		t.Error("names are exact")
	}
}

func TestGrid(t *testing.T) {
	score, _ := football.Lookup("CORRECT_SCORE")
	if !score.Grid || score.Row != "home goals" || score.Column != "away goals" {
		t.Errorf("correct score: %+v", score)
	}
	if total, _ := football.Lookup("TOTAL_GOALS"); total.Grid {
		t.Error("total goals has no grid")
	}
}

func TestPeriods(t *testing.T) {
	for _, p := range append(football.Periods(), "0-10", "75-90", "105-120") {
		if !football.ValidPeriod(p) {
			t.Errorf("%q is a period", p)
		}
	}
	for _, p := range []string{"", "ft", "3H", "0-", "-10", "10-0", "10-10", "00-10", "0-1000", "0-10-20", "0–10", " 0-10", "INTERVAL", "+1-2"} {
		if football.ValidPeriod(p) {
			t.Errorf("%q is no period", p)
		}
	}
}

func TestAllowsPeriod(t *testing.T) {
	term, _ := football.Lookup("MATCH_RESULT")
	for p, want := range map[string]bool{"FT": true, "0-10": true, "FT_ET": false, "PEN": false, "": false} {
		if term.AllowsPeriod(p) != want {
			t.Errorf("MATCH_RESULT %q: %v", p, !want)
		}
	}
}

func TestLineKindHas(t *testing.T) {
	k := football.LineKind("ASIAN_HANDICAP+SCORE_AT_OFFER")
	if !k.Has(football.AsianHandicap) || !k.Has(football.ScoreAtOffer) || k.Has(football.TotalLine) {
		t.Error("joined kinds")
	}
	if football.WholeTotalLine.Has(football.TotalLine) {
		t.Error("TOTAL_WHOLE is not TOTAL")
	}
}
