// Package mapping reads the table in which a provider states what its markets
// are in canonical words. A table is CSV with comments; see the head of
// provider/betsapi/bet365.csv for its columns. Every look-up is exact.
package mapping

import (
	"encoding/csv"
	"fmt"
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

	name, text string
	dialect    *input.Dialect
	ids        map[string]bool // every market id in the table
}

// Entry is one line of a table. A nil entry stands for a line that is not there.
type Entry struct {
	Key     string          // the market's key in every payload shape
	IDs     []string        // the provider's market ids that have been seen with it
	Reading *input.Reading  // nil if the market stays RAW
	Reason  football.Reason // why it stays RAW

	byID bool // the line holds only for a market that has one of IDs
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
		name: name, text: text, dialect: dialect, ids: make(map[string]bool)}
	blocks := map[string]map[string]*Entry{"key": t.ByKey, "name": t.ByName, "row": t.ByRow}
	for _, line := range lines[1:] {
		block, ok := blocks[line[0]]
		if _, twice := block[line[1]]; !ok || twice {
			return nil, fmt.Errorf("%s %s: unknown kind of line, or a line given twice", line[0], line[1])
		}
		e, err := t.parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", line[0], line[1], err)
		}
		block[line[1]] = e
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
}

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
	e.Reading = &input.Reading{
		Market: line[5], Period: line[6], Subject: line[7], Parameter: line[8], Rank: rank,
		Dialect: t.dialect, Shape: shape, Condition: input.Condition(line[11]), Rule: t.name + ":" + line[1],
	}
	return e, nil
}

// KnownID returns one and the same id for all ids of the entry, if ids holds one
// of them; else "".
func (e *Entry) KnownID(ids []string) string {
	if e != nil && slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(e.IDs, id) }) {
		return e.IDs[0]
	}
	return ""
}

// Read returns what the table says about a market with that id ("" if it has
// none): its reading, or why there is none.
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

// Rule returns the line that a rule names, as it stands in the table; "" if
// there is none. If several lines have the same match it returns all of them.
func (t *Table) Rule(rule string) string {
	match, ok := strings.CutPrefix(rule, t.name+":")
	if !ok {
		return ""
	}
	var found []string
	for line := range strings.Lines(t.text) {
		line = strings.TrimRight(line, "\r\n")
		record, err := csv.NewReader(strings.NewReader(line)).Read()
		if err == nil && !strings.HasPrefix(line, "#") && len(record) > 1 && record[1] == match {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}
