package markets_test

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/internal/testing/check"
)

// The engine knows no bookmaker's words: another dialect is other data.
func TestOtherDialect(t *testing.T) {
	italian, err := mapping.ParseDialect(`list,word,text
sides,HOME,1
sides,HOME,Casa
sides,DRAW,N
sides,DRAW,Pareggio
sides,AWAY,2
sides,AWAY,Ospite
over-under,OVER,Oltre
over-under,UNDER,Sotto
yes-no,YES,Si
yes-no,NO,Nessun
both-teams,BOTH,Entrambe
joiners,TO,a
joiners,OR,o
open-counts,MORE," o piu"
event-times,BEFORE," prima del "
only-sides,ONLY," soltanto"
minute-units,UNIT," minuti"
noun,GOALS,Gol
`)
	check.Must(t, err)
	for _, c := range []struct {
		market string
		rows   []string
		want   string
	}{
		{"MATCH_RESULT", []string{"Casa", "N", "Ospite", "Draw"}, `MATCH_RESULT FT
  HOME
  DRAW
  AWAY
  Draw UNREADABLE [UNRESOLVED_QUALIFIER]
`},
		{"DOUBLE_CHANCE", []string{"1N", "Arsenal o Ospite"}, `DOUBLE_CHANCE FT
  1X
  12
`},
		{"GOALS_RANGE", []string{"Sotto 2", "2 o 3", "4 a 5", "Oltre 5"}, `GOALS_RANGE FT
  0-1
  2-3
  4-5
  6+
`},
		{"EXACT_GOALS", []string{"2 Gol", "3 o piu"}, `EXACT_GOALS FT
  2
  3+
`},
		{"EARLY_GOAL", []string{"Gol prima del 27:00", "Nessun Gol prima del 27:00"}, `EARLY_GOAL FT
  YES q=27:00
  NO q=27:00
`},
		{"TEAMS_TO_SCORE", []string{"Entrambe", "Arsenal soltanto"}, `TEAMS_TO_SCORE FT
  BOTH
  HOME_ONLY
`},
		{"TOTAL_GOAL_MINUTES", []string{"Sotto 105 minuti", "105 a 125 minuti"}, `TOTAL_GOAL_MINUTES FT
  UNDER q=105
  105-125
`},
	} {
		o := offerOf(&input.Reading{Market: c.market}, c.rows...)
		o.Reading.Dialect = italian
		if got := show(derive("Arsenal", "Leicester", o)); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.market, got, c.want)
		}
	}
}
