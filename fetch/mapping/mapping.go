// Package mapping reads the table of a provider's markets in canonical words. A table is
// CSV with comments; see the head of provider/betsapi/bet365.csv for its columns. Every
// look-up is exact.
package mapping

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Table is a mapping table. It is safe for concurrent use, and its maps and
// entries must not be modified.
type Table struct {
	ByKey  map[string]*Entry // by the provider's key of a market
	ByName map[string]*Entry // by the provider's name of a market, where no key is sent
	ByRow  map[string]*Entry // by the name of a row, for markets whose rows each name a market

	name    string
	dialect *input.Dialect
	ids     map[string]bool // every market id in the table
	lines   []Line
}

// Line is one line of a table, for people.
type Line struct {
	Rule  string // names it, as input.Reading.Rule does
	By    string // the kind of look-up: key, name or row
	Match string
	Name  string // the provider's name of the market; "" if the table has none
	Text  string // as it stands in the table
	Entry *Entry
}

// Entry is one line of a table. A nil entry stands for a line that is not there.
type Entry struct {
	Key     string          // the market's key in every payload shape
	IDs     []string        // the provider's market ids that have been seen with it
	Reading *input.Reading  // nil if the market stays RAW
	Reason  football.Reason // why it stays RAW

	byID bool // the line holds only for a market with one of IDs
}

// Header is the first line of every table that is no comment.
const Header = "by,match,key,ids,proof,market,period,subject,parameter,rank,shape,condition,reason"

// Embedded returns functions that return the dialect and the table of an adapter, parsed
// from its embedded files on first use. They panic if a file cannot be parsed; the
// adapter's tests must call both.
func Embedded(name, table, words string) (func() *input.Dialect, func() *Table) {
	dialect := sync.OnceValue(func() *input.Dialect {
		d, err := ParseDialect(words)
		if err != nil {
			panic(name + ": its words: " + err.Error())
		}
		return d
	})
	return dialect, sync.OnceValue(func() *Table {
		t, err := Parse(name, table, dialect())
		if err != nil {
			panic(name + ": " + err.Error())
		}
		return t
	})
}

// Parse reads a table of markets whose rows are worded in the dialect. The rule of
// a reading is name, a colon and the line's match: "betsapi/bet365.csv:corners".
func Parse(name, text string, dialect *input.Dialect) (*Table, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != Header {
		return nil, fmt.Errorf("want the header %s", Header)
	}
	t := &Table{ByKey: make(map[string]*Entry), ByName: make(map[string]*Entry), ByRow: make(map[string]*Entry),
		name: name, dialect: dialect, ids: make(map[string]bool)}
	texts, comments, numbers := splitLines(text)
	if len(texts) != len(lines)-1 {
		return nil, fmt.Errorf("a line of the table must not have line breaks in it")
	}
	blocks := map[string]map[string]*Entry{"key": t.ByKey, "name": t.ByName, "row": t.ByRow}
	for n, line := range lines[1:] {
		block, ok := blocks[line[0]]
		if _, twice := block[line[1]]; !ok || twice {
			return nil, fmt.Errorf("line %d, %s %s: unknown kind of line, or a line given twice", numbers[n], line[0], line[1])
		}
		e, err := t.parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d, %s %s: %w", numbers[n], line[0], line[1], err)
		}
		block[line[1]] = e
		t.lines = append(t.lines, Line{Rule: name + ":" + line[1], By: line[0], Match: line[1], Name: nameOf(line, comments[len(t.lines)]), Text: texts[len(t.lines)], Entry: e})
		for _, id := range e.IDs {
			t.ids[id] = true
		}
	}
	return t, nil
}

// shapes are the words of the column shape, which may hold several with a "|" between.
var shapes = map[string]input.Shape{
	"winner-first":       input.WinnerFirst,
	"draw-away-sign":     input.DrawHasAwaySign,
	"own-side":           input.OwnSideLine,
	"unsigned-is-plus":   input.UnsignedIsPlus,
	"sign-by-prices":     input.SignByPrices,
	"repeats":            input.RepeatedTexts,
	"each-says-all":      input.EachSaysAll,
	"named-winner-first": input.NamedWinnerFirst,
	"side-means-yes":     input.SideMeansYes,
	"bare-line-over":     input.BareLineIsOver,
	"named-sides":        input.NamedSides,
}

var conditions = []input.Condition{input.NoCondition, input.NeedsExactly, input.NeedsBands, input.NeedsHalves, input.NeedsSentence, input.NeedsScorers,
	input.NeedsGoals, input.NeedsSigns, input.NeedsScoreDraw}

// parseShape reads the names of shapes with | between, none if the text is empty.
func parseShape(text string) (all input.Shape, ok bool) {
	if text == "" {
		return 0, true
	}
	for name := range strings.SplitSeq(text, "|") {
		shape, known := shapes[name]
		if !known {
			return 0, false
		}
		all |= shape
	}
	return all, true
}

func (t *Table) parseEntry(line []string) (*Entry, error) {
	e := &Entry{Key: line[2], byID: line[4] == "id"}
	if line[3] != "" {
		e.IDs = strings.Split(line[3], "|")
	}
	if line[4] != "" && (!e.byID || len(e.IDs) == 0) {
		return nil, fmt.Errorf("proof %q with ids %q", line[4], line[3])
	}
	if line[5] == "" {
		if e.Reason = football.Reason(line[12]); e.Reason == "" {
			return nil, fmt.Errorf("neither a market nor a reason")
		}
		return e, nil
	}
	rank, err := strconv.Atoi(line[9])
	if err != nil || rank < 1 {
		return nil, fmt.Errorf("rank %q", line[9])
	}
	shape, ok := parseShape(line[10])
	if !ok {
		return nil, fmt.Errorf("shape %q", line[10])
	}
	condition := input.Condition(line[11])
	if !slices.Contains(conditions, condition) {
		return nil, fmt.Errorf("condition %q", condition)
	}
	term, ok := football.Lookup(line[5])
	switch {
	case !ok:
		return nil, fmt.Errorf("market %q: not in the vocabulary", line[5])
	case line[6] == "" && condition == input.NeedsHalves:
	case !term.AllowsPeriod(line[6]):
		return nil, fmt.Errorf("period %q: %s has %s", line[6], line[5], strings.Join(term.Periods, ", "))
	}
	if err := CheckDefinition(term, line[7], line[8]); err != nil {
		return nil, err
	}
	e.Reading = &input.Reading{
		Market: line[5], Period: line[6], Subject: line[7], Parameter: line[8], Rank: rank,
		Dialect: t.dialect, Shape: shape, Condition: condition, Rule: t.name + ":" + line[1],
	}
	return e, nil
}

// parameters are the numbers and ordinals that a market's name can fix, by the kind of its line.
var parameters = map[football.LineKind]*regexp.Regexp{
	football.CountLine:   regexp.MustCompile(`^[1-9][0-9]?$`),
	football.OrdinalLine: regexp.MustCompile(`^([1-9][0-9]?|FIRST|LAST|ANYTIME)$`),
}

// CheckDefinition returns an error if a market cannot have a subject, HOME, AWAY, TEAM or PLAYER, or
// a parameter.
func CheckDefinition(term *football.Term, subject, parameter string) error {
	of := map[string]string{"HOME": "TEAM", "AWAY": "TEAM", "TEAM": "TEAM", "PLAYER": "PLAYER"}[subject]
	if subject != "" && (of == "" || !strings.Contains(term.Subject, of)) {
		return fmt.Errorf("subject %q: %s is of %s", subject, term.Canonical, term.Subject)
	}
	form := parameters[term.Line]
	if parameter != "" && (form == nil || !form.MatchString(parameter) || parameter == "ANYTIME" && !strings.Contains(term.Subject, "PLAYER")) {
		return fmt.Errorf("parameter %q: not one of %s", parameter, term.Canonical)
	}
	return nil
}

// KnownID returns one and the same id for all ids of the entry, if ids holds one
// of them; else "".
func (e *Entry) KnownID(ids []string) string {
	if e != nil && slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(e.IDs, id) }) {
		return e.IDs[0]
	}
	return ""
}

// Read returns the table's claim about a market with an id ("" if it has none): its
// reading, or why there is none.
func (t *Table) Read(e *Entry, id string) (*input.Reading, football.Reason) {
	switch {
	case e == nil:
		return nil, football.UnknownMarket
	case e.Reading == nil:
		return nil, e.Reason
	case slices.Contains(e.IDs, id):
		return e.Reading, ""
	case e.byID, len(e.IDs) > 0 && t.ids[id]: // not proven, or the id is another market's
		return nil, football.ConditionFailed
	}
	return e.Reading, ""
}

// splitLines returns the lines of a table as they stand in it, without the header, the comment
// directly above each, "" if there is none, and their numbers.
func splitLines(text string) (lines, comments []string, numbers []int) {
	above, header, number := "", false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		comment, isComment := strings.CutPrefix(line, "#")
		switch {
		case isComment:
			above = strings.TrimSpace(comment)
			continue
		case line == "":
		case !header:
			header = true
		default:
			lines, comments, numbers = append(lines, line), append(comments, above), append(numbers, number)
		}
		above = ""
	}
	return lines, comments, numbers
}

// nameOf returns the provider's name of a line's market: its match if it is a name, the key
// if the match is another text, or the comment above that begins with the match.
func nameOf(line []string, comment string) string {
	if name, ok := strings.CutPrefix(comment, line[1]+" "); ok {
		return name
	}
	switch {
	case line[0] != "key":
		return line[1]
	case line[2] != line[1]:
		return line[2]
	}
	return ""
}

// Lines returns the lines in the order of the table.
func (t *Table) Lines() []Line { return slices.Clone(t.lines) }

// Rule returns the line that a rule names, as it stands in the table; "" if there is none.
// If several lines have the same match it returns all of them.
func (t *Table) Rule(rule string) string {
	var found []string
	for i := range t.lines {
		if t.lines[i].Rule == rule {
			found = append(found, t.lines[i].Text)
		}
	}
	return strings.Join(found, "\n")
}

// Find returns the lines for a text, in the order of the table. For a canonical market, in
// the spelling of the vocabulary, these are the lines that lead to it. For any other text
// they are the lines with this text as rule, match, key, name or market id. If there are
// none, exact is false, and found has the lines with the text in one of these or in
// the canonical market. Case does not matter there, nor whether words are joined by blanks
// or by underscores.
func (t *Table) Find(text string) (found []Line, exact bool) {
	filter := func(is func(*Line) bool) (found []Line) {
		for i := range t.lines {
			if is(&t.lines[i]) {
				found = append(found, t.lines[i])
			}
		}
		return found
	}
	if _, ok := football.Lookup(text); ok {
		found = filter(func(l *Line) bool { return l.canonical() == text })
		return found, len(found) > 0
	}
	if text = plainWords(text); text == "" {
		return nil, false
	}
	found = filter(func(l *Line) bool {
		return slices.Contains(l.Entry.IDs, text) || plainWords(l.Rule) == text || slices.ContainsFunc(l.words(), func(w string) bool { return plainWords(w) == text })
	})
	if len(found) > 0 {
		return found, true
	}
	return filter(func(l *Line) bool {
		return slices.ContainsFunc(append(l.words(), l.canonical()), func(w string) bool { return strings.Contains(plainWords(w), text) })
	}), false
}

// words returns the names by which a line is found.
func (l *Line) words() []string { return []string{l.Match, l.Entry.Key, l.Name} }

// canonical returns the market that a line leads to; "" if it stays RAW.
func (l *Line) canonical() string {
	if l.Entry.Reading == nil {
		return ""
	}
	return l.Entry.Reading.Market
}

func plainWords(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "_", " ")), " ")
}

// ShapeNames returns the names of the habits in a shape, as the tables write them, sorted.
func ShapeNames(shape input.Shape) (names []string) {
	for name, one := range shapes {
		if shape&one != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
