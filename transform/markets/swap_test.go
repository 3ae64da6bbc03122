package markets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// twoCodes are forms of a row with two codes: which of two labels the provider sends first, and whether one
// is the head of a column; and both in one label.
var twoCodes = []string{"header=%s|name=%s", "name=%[2]s|header=%[1]s", "name=%s|name2=%s", "name2=%[2]s|name=%[1]s", "name=%s/%s"}

// TestSidesThatAreNumbers crafts rows of two codes for every market of the vocabulary. If
// each code can be the side, and the other one a number, and these say different things,
// the row alone must not be published.
func TestSidesThatAreNumbers(t *testing.T) {
	crafted, ambiguous := 0, make(map[string]bool)
	for _, term := range football.Vocabulary() {
		for _, period := range []string{"FT", "1H", "ET"} {
			for _, shape := range []input.Shape{0, input.UnsignedIsPlus, input.SideMeansYes} {
				c := claim{Market: term.Canonical, Period: period, Shape: shape}
				if strings.Contains(term.Subject, "TEAM") && !strings.Contains(term.Subject, "PLAYER") {
					c.Subject = "TEAM"
				}
				for _, form := range twoCodes {
					for _, word := range []string{"", "|Over", "|Yes", "|Score"} {
						for _, codes := range [][2]string{{"1", "2"}, {"2", "1"}} {
							sides := map[string]string{"1": "Home", "2": "Away"}
							first := saysOf(c, fmt.Sprintf(form, sides[codes[0]], codes[1])+word)
							second := saysOf(c, fmt.Sprintf(form, codes[0], sides[codes[1]])+word)
							if first == "" || second == "" || first == second {
								continue
							}
							crafted++
							ambiguous[term.Canonical] = true
							row := fmt.Sprintf(form, codes[0], codes[1]) + word
							if got := saysOf(c, row); got != "" {
								t.Errorf("%s %s, shape %d: %q is read as %q, and could be %q or %q", term.Canonical, period, shape, row, got, first, second)
							}
						}
					}
				}
			}
		}
	}
	for _, market := range []string{"WINNING_MARGIN", "TEAM_EXACT_GOALS", "CORNERS_RACE", "NTH_CORNER", "HANDICAP_RESULT", "ASIAN_HANDICAP"} {
		if !ambiguous[market] {
			t.Errorf("%s has no row with two readings: the test crafts too few", market)
		}
	}
	t.Logf("%d rows of %d markets", crafted, len(ambiguous))
}

// saysOf returns the meaning of a row that stands alone, "" if it was not read.
func saysOf(c claim, row string) string {
	all := derive("Arsenal", "Leicester", offerOf(&c, row))
	s := &all[0].Selections[0]
	if all[0].Origin != football.Mapped || !s.Quality.Publishable && !(s.Line != "" && slices.Equal(s.Quality.Reasons, []football.Reason{football.UnreadableLine})) {
		return ""
	}
	return strings.Join([]string{all[0].Canonical, s.Selection, s.Line, s.Qualifier, s.Subject}, " ")
}

// Another row proves which field has the side, unless a third one contradicts it.
func TestSidesProvenByAnotherRow(t *testing.T) {
	for _, c := range []struct {
		name  string
		claim claim
		rows  []string
		want  string
	}{
		{"alone", claim{Market: "WINNING_MARGIN"}, []string{"name=2|header=1", "header=1|name=1"}, `
WINNING_MARGIN FT
  1 2 SUSPECT [AMBIGUOUS_SHAPE]
  HOME_1`},
		{"an open margin beside it", claim{Market: "WINNING_MARGIN"}, []string{"name=2|header=1", "name=4+|header=2"}, `
WINNING_MARGIN FT
  HOME_2
  AWAY_4+`},
		{"the number is sent first", claim{Market: "WINNING_MARGIN"}, []string{"name=2|label=1", "name=3|label=1"}, `
WINNING_MARGIN FT
  2 1 SUSPECT [AMBIGUOUS_SHAPE]
  HOME_3`},
		{"a draw beside it", claim{Market: "HANDICAP_RESULT", Shape: input.UnsignedIsPlus}, []string{"label=1|handicap=1", "label=X|handicap=1", "label=2|handicap=1"}, `
HANDICAP_RESULT FT lines +1
  HOME +1
  DRAW +1
  AWAY +1`},
		{"rows that contradict each other", claim{Market: "WINNING_MARGIN"}, []string{"label=1|name=2", "label=1|name=3", "label=3|name=2"}, `
WINNING_MARGIN FT
  1 2 SUSPECT [AMBIGUOUS_SHAPE]
  HOME_3
  AWAY_3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := show(derive("Arsenal", "Leicester", offerOf(&c.claim, c.rows...)))
			if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}
