package football

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"
)

// DerivationVersion is the version of the rules that make canonical markets of a provider's
// offers: the vocabulary, the mapping tables and the readers. It is raised whenever the same
// payload would be read differently.
//
//	1: first
//	2: a player needs a proven name, and NO_CARD is an outcome of
//	   PLAYER_FIRST_CARDED; a handicap needs its sign and its mirror; a team called
//	   like a code, a score against its head and a market against its name are
//	   refused; no id depends on a price; the player tables, the race and the first
//	   card of 2026 are mapped; a damaged part of a payload affects only itself: it is
//	   marked and the rest is read; a market's id does not depend on whether its key
//	   also exists under another market id
//	3: a split handicap with one unsigned part is read; rows for nobody of either
//	   side contradict a market of the match; a fixture answered without any market is
//	   not offered; a fixture with nothing but prices of other bookmakers is not read;
//	   an id of two fixtures belongs to neither
//	4: a price at which nothing can be won is not publishable; of several lists under
//	   one market id each has ids of its own; a three-way total is proven for each
//	   line; a row whose side could be its number is proven by another row; a name is
//	   refused if it is no text, or names another count or another time than the rule
//	   of its id; the prices prove the line of a row of an API-Football handicap
//	5: a market of Sportmonks is mapped under known names alone, each of which has ids
//	   of its own, and its rows may say their side in several texts; a result of it
//	   needs its draw; two prices of a row that contradict each other are not
//	   publishable; a player's name may have a number or "ogly";
//	   a result without its draw is not mapped; prices that disprove the sign of a
//	   handicap or cannot be those of the outcomes are not publishable; a member of a
//	   row that is not known says nothing
const DerivationVersion = "5"

// Term is one canonical market of the vocabulary.
type Term struct {
	Canonical  string   // "TOTAL_GOALS"
	Meaning    string   // for people
	Periods    []string // allowed ones; Interval stands for any "a-b"
	Line       LineKind
	Selections string // the pattern of its outcomes, "OVER|UNDER", "h-a|OTHER"
	Subject    string // MATCH, TEAM, PLAYER, … as a pattern
	Dimension  string // the thing counted or compared
	Grid       bool   // a two-way product: selections have a position in a table
	Row        string // the meaning of the table's rows, such as "home goals"; "" without Grid
	Column     string
}

// Interval stands in Term.Periods for any interval of minutes.
const Interval = "INTERVAL"

// LineKind is the meaning of a market's line.
type LineKind string

const (
	NoLine           LineKind = "NONE"
	TotalLine        LineKind = "TOTAL"             // over/under; half, whole or quarter
	WholeTotalLine   LineKind = "TOTAL_WHOLE"       // three-way total, with EXACTLY
	AsianHandicap    LineKind = "ASIAN_HANDICAP"    // two-way; half, whole or quarter
	EuropeanHandicap LineKind = "EUROPEAN_HANDICAP" // three-way, whole
	CountLine        LineKind = "COUNT"             // at least, or exactly, n
	RangeLine        LineKind = "RANGE"             // a band
	OrdinalLine      LineKind = "ORDINAL"           // first, second, nth, last
	TimeLine         LineKind = "TIME"              // minute, or minute and second
	ScoreAtOffer     LineKind = "SCORE_AT_OFFER"    // counted from the score when the price was taken
)

// Has reports whether k is kind, or contains it ("ORDINAL+TIME").
func (k LineKind) Has(kind LineKind) bool {
	for rest := string(k); rest != ""; {
		one, after, _ := strings.Cut(rest, "+")
		if one == string(kind) {
			return true
		}
		rest = after
	}
	return false
}

// NeedsDraw reports whether the draw is one of three results, exactly one of which happens: without it the effect of a
// draw is not known. A handicap does not need it in every list, because its other prices tell.
func (t *Term) NeedsDraw() bool {
	return t.Selections == "HOME|DRAW|AWAY" && t.Line != EuropeanHandicap && t.Canonical != "HALF_TIME_OR_FULL_TIME_RESULT" // where two can happen
}

// AllowsPeriod reports whether the market exists for a canonical period.
func (t *Term) AllowsPeriod(period string) bool {
	for _, p := range t.Periods {
		if p == period || p == Interval && isInterval(period) {
			return true
		}
	}
	return false
}

//go:embed vocabulary.csv
var vocabularyCSV string

type vocabulary struct {
	terms  []Term
	byName map[string]*Term
}

var loadVocabulary = sync.OnceValue(func() vocabulary {
	terms, err := parseVocabulary(vocabularyCSV)
	if err != nil {
		panic("football: embedded vocabulary: " + err.Error()) // a test parses all of it
	}
	v := vocabulary{terms: terms, byName: make(map[string]*Term, len(terms))}
	for i := range terms {
		v.byName[terms[i].Canonical] = &terms[i]
	}
	return v
})

// Vocabulary returns every canonical market, in the vocabulary's order. The result is
// shared and must not be modified.
func Vocabulary() []Term { return loadVocabulary().terms }

// Lookup finds a canonical market by its exact name. The result is shared and must not be
// modified.
func Lookup(canonical string) (*Term, bool) {
	t, ok := loadVocabulary().byName[canonical]
	return t, ok
}

func parseVocabulary(text string) ([]Term, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	const header = "canonical,meaning,periods,line,selections,subject,dimension,grid"
	if len(rows) == 0 || strings.Join(rows[0], ",") != header {
		return nil, fmt.Errorf("want the header %s", header)
	}
	terms := make([]Term, 0, len(rows)-1)
	for _, r := range rows[1:] {
		t := Term{Canonical: r[0], Meaning: r[1], Periods: strings.Split(r[2], "|"),
			Line: LineKind(r[3]), Selections: r[4], Subject: r[5], Dimension: r[6]}
		if r[7] != "" {
			if t.Row, t.Column, t.Grid = parseGrid(r[7]); !t.Grid {
				return nil, fmt.Errorf("%s: grid %q: want row=…, column=…", r[0], r[7])
			}
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// parseGrid splits "row=home goals, column=away goals".
func parseGrid(s string) (row, column string, ok bool) {
	row, column, ok = strings.Cut(s, ", column=")
	row, found := strings.CutPrefix(row, "row=")
	return row, column, ok && found
}
