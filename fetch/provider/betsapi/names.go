package betsapi

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/publish/football"
)

//go:embed bet365.csv
var bet365CSV string

// tableName stands before a line's match in Reading.Rule: "betsapi/bet365.csv:corners".
const tableName = Name + "/bet365.csv"

// entry is one line of the mapping table.
type entry struct {
	key     string          // the market's key in every shape
	ids     []string        // the bookmaker's market ids met with it
	byID    bool            // holds only for a market that bears one of ids
	reading *input.Reading  // nil: stays RAW; shared, never modified
	reason  football.Reason // why it stays RAW
}

// names is the mapping table, see bet365.csv. Every look-up is exact.
type names struct {
	byKey  map[string]*entry // key of an sp block, v1 and v3
	byName map[string]*entry // the bookmaker's own name, raw
	byRow  map[string]*entry // name of a row of "specials"
	ids    map[string]bool   // every market id known to the table
}

var table = sync.OnceValue(func() *names {
	t, err := parseNames(bet365CSV)
	if err != nil {
		panic("betsapi: embedded table: " + err.Error()) // a test reads it whole
	}
	return t
})

const namesHeader = "by,match,key,ids,proof,market,period,subject,parameter,rank,shape,condition,reason"

func parseNames(text string) (*names, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != namesHeader {
		return nil, fmt.Errorf("want the header %s", namesHeader)
	}
	t := &names{make(map[string]*entry), make(map[string]*entry), make(map[string]*entry), make(map[string]bool)}
	blocks := map[string]map[string]*entry{"key": t.byKey, "name": t.byName, "row": t.byRow}
	for _, line := range lines[1:] {
		block, ok := blocks[line[0]]
		if _, twice := block[line[1]]; !ok || twice {
			return nil, fmt.Errorf("%s %s: unknown kind of line, or a line given twice", line[0], line[1])
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", line[0], line[1], err)
		}
		block[line[1]] = e
		for _, id := range e.ids {
			t.ids[id] = true
		}
	}
	return t, nil
}

var shapes = map[string]input.Shape{
	"winner-first":   input.WinnerFirst,
	"draw-away-sign": input.DrawHasAwaySign,
	"own-side":       input.OwnSideLine,
}

func parseEntry(line []string) (*entry, error) {
	e := &entry{key: line[2], byID: line[4] == "id"}
	if line[3] != "" {
		e.ids = strings.Split(line[3], "|")
	}
	if line[4] != "" && (!e.byID || len(e.ids) == 0) {
		return nil, fmt.Errorf("proof %q with ids %q", line[4], line[3])
	}
	if line[5] == "" {
		if e.reason = football.Reason(line[12]); e.reason == "" {
			return nil, fmt.Errorf("neither a market nor a reason")
		}
		return e, nil
	}
	rank, err := strconv.Atoi(line[9])
	if err != nil || rank < 1 {
		return nil, fmt.Errorf("rank %q", line[9])
	}
	e.reading = &input.Reading{
		Market: line[5], Period: line[6], Subject: line[7], Parameter: line[8], Rank: rank,
		Condition: input.Condition(line[11]), Rule: tableName + ":" + line[1],
	}
	if line[10] != "" {
		shape, ok := shapes[line[10]]
		if !ok {
			return nil, fmt.Errorf("shape %q", line[10])
		}
		e.reading.Shape = shape
	}
	return e, nil
}

// knownID is one and the same for all ids that the table knows for the key, when one of
// them is there; else "". e may be nil.
func (e *entry) knownID(ids []string) string {
	if e != nil && slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(e.ids, id) }) {
		return e.ids[0]
	}
	return ""
}

// read gives what the table says of a market met with that id ("" when it has
// none): its reading, or why there is none. e may be nil.
func (t *names) read(e *entry, id string) (*input.Reading, football.Reason) {
	switch {
	case e == nil:
		return nil, football.UnknownMarket
	case e.reading == nil:
		return nil, e.reason
	case slices.Contains(e.ids, id):
		return e.reading, ""
	case e.byID, len(e.ids) > 0 && t.ids[id]: // not proven, or the id is another market's
		return nil, football.ConditionFailed
	}
	return e.reading, ""
}

// ruleLine is the line of the table that a rule names. The same text may be met in
// several ways: then all their lines.
func ruleLine(rule string) string {
	match, ok := strings.CutPrefix(rule, tableName+":")
	if !ok {
		return ""
	}
	var found []string
	for line := range strings.Lines(bet365CSV) {
		line = strings.TrimRight(line, "\r\n")
		record, err := csv.NewReader(strings.NewReader(line)).Read()
		if err == nil && !strings.HasPrefix(line, "#") && len(record) > 1 && record[1] == match {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// keyOfName finds the key of a market that is known by its name only, and its
// line. The key of an unknown name is made by the provider's own rule, so that
// it is the same in every shape; one that would take a known market's key is
// told apart by a colon.
func (t *names) keyOfName(name string) (string, *entry) {
	if e := t.byName[name]; e != nil {
		return e.key, e
	}
	key := makeKey(name)
	if t.byKey[key] != nil {
		return "name:" + key, nil
	}
	return key, nil
}

// makeKey makes a market's key of its name: lower case, blanks, slashes and
// dashes to one underscore, brackets, colons and question marks as they are.
func makeKey(name string) string {
	apart := func(r rune) bool { return r == ' ' || r == '/' || r == '-' || r == '\r' || r == '\n' }
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), apart), "_")
}

// normalName takes the stray blanks and line breaks out of a name.
func normalName(name string) string {
	clean := true
	for i := 0; i < len(name) && clean; i++ {
		c := name[i]
		clean = c > ' ' && c < 0x80 || c == ' ' && i > 0 && i < len(name)-1 && name[i+1] != ' '
	}
	if clean {
		return name
	}
	return strings.Join(strings.Fields(name), " ")
}
