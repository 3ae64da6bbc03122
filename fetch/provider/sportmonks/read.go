package sportmonks

import (
	"fmt"
	"strings"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider/sportmonks/internal/wire"
	"mkt/publish/football"
)

// readData parses an archived answer and returns its data. An answer that found
// nothing has an empty list, or no data at all and a message. It is an error when the
// bytes do not parse, when the envelope has a key twice, and when there are neither
// data nor a message.
func readData(d *strictjson.Document, body []byte) (strictjson.Value, error) {
	if err := d.Parse(body); err != nil {
		return strictjson.Value{}, err
	}
	root := d.Root()
	if root.Repeats() {
		return strictjson.Value{}, fmt.Errorf("the envelope has a key twice")
	}
	data := root.Get(wire.KeyData)
	switch data.Kind() {
	case strictjson.Array, strictjson.Object:
		return data, nil
	case strictjson.Absent, strictjson.Null:
		if foundNothing(root) {
			return strictjson.Value{}, nil
		}
	}
	return strictjson.Value{}, fmt.Errorf("%s is neither a list nor an object", wire.KeyData)
}

// foundNothing reports whether an envelope says that nothing was found. It says the
// same when the plan does not hold what was asked for.
func foundNothing(envelope strictjson.Value) bool {
	m := envelope.Get(wire.KeyMessage)
	return m.Kind() == strictjson.String && strings.HasPrefix(m.Text(), wire.NoResult)
}

// itemsOf walks over the items of a list, or over the one object that stands in its
// place.
func itemsOf(data strictjson.Value) func(yield func(strictjson.Value) bool) {
	if data.Kind() == strictjson.Object {
		return func(yield func(strictjson.Value) bool) { yield(data) }
	}
	return data.Items()
}

// isText reports whether a value can hold a text: a string, or a number, which
// keeps its own characters.
func isText(v strictjson.Value) bool {
	return v.Kind() == strictjson.String || v.Kind() == strictjson.Number
}

// isWrong reports whether a value stands where a text is expected and is none.
func isWrong(v strictjson.Value) bool {
	return !isText(v) && v.Kind() != strictjson.Absent && v.Kind() != strictjson.Null
}

// field keeps the three states of a text: absent, null or "" (sent without a value),
// and present. What is no text was sent without a value that can be read.
func field(v strictjson.Value) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	if isText(v) {
		if text := v.Text(); text != "" {
			return football.Of(text)
		}
	}
	return football.NullField[string]()
}

// identifier is a provider id: digits, sent as a number or as text; "" for anything
// else.
func identifier(v strictjson.Value) string {
	if !isText(v) {
		return ""
	}
	if id := v.Text(); isDigits(id) && len(id) <= 20 {
		return id
	}
	return ""
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// whole reads a number of digits of at most most.
func whole(v strictjson.Value, most int) (int, bool) {
	text := identifier(v)
	if text == "" || len(text) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		n = n*10 + int(c-'0')
	}
	return n, n <= most
}

// epoch reads whole seconds since 1970, false if they are of no time of this century.
func epoch(v strictjson.Value) (time.Time, bool) {
	id := identifier(v)
	if len(id) < 9 || len(id) > 10 {
		return time.Time{}, false
	}
	var n int64
	for _, c := range []byte(id) {
		n = n*10 + int64(c-'0')
	}
	return time.Unix(n, 0).UTC(), n > 0
}

// maxClip bounds what is kept of a value that is not understood, in bytes.
const maxClip = 256

// clip is the text of a value, of which only the beginning is kept when it is long
// and no text.
func clip(v strictjson.Value) string {
	text := v.Text()
	if isText(v) || len(text) <= maxClip {
		return text
	}
	return strings.ToValidUTF8(text[:maxClip], "") + "…"
}

// maxTally bounds how many different names are counted: they come from outside.
const maxTally = 200

// tally counts by name. The zero value is ready.
type tally map[string]int

func (t *tally) add(name string) {
	if *t == nil {
		*t = make(tally)
	}
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "")
	}
	if _, known := (*t)[name]; !known && len(*t) >= maxTally {
		name = "(more)"
	}
	(*t)[name]++
}

// text reads a member of an object as a text, in its three states. What is no text,
// which is counted as kind, and what is there twice was sent without a value that can
// be read.
func (t *tally) text(object strictjson.Value, key, kind string) football.Field[string] {
	v, once := object.Once(key)
	if !once {
		return football.NullField[string]()
	}
	if isWrong(v) {
		t.add(kind)
	}
	return field(v)
}

// A damaged part of a payload costs itself and no more. What is damaged is counted by
// the names below, which hold no stranger's text.
const (
	itemRepeats  = "item: a key twice"
	itemTeams    = "item: the participants cannot be read"
	itemLeague   = "item: the league cannot be read"
	itemTime     = "item: starting_at cannot be read"
	itemState    = "item: state_id is no id"
	itemSport    = "item: sport_id is no id"
	itemScores   = "item: the scores cannot be read"
	itemPeriods  = "item: the periods cannot be read"
	itemCounter  = "item: a counter cannot be read"
	itemStats    = "item: the statistics are no list"
	itemEvents   = "item: the events are no list"
	itemEvent    = "item: an event cannot be read"
	itemOdds     = "item: the odds are no list"
	itemNoOdds   = "item: without odds"
	rowNoObject  = "row: not an object"
	rowFixture   = "row: without the id of a fixture"
	rowMarket    = "row: without the id of a market"
	rowBookmaker = "row: without the id of a bookmaker"
	rowRepeats   = "row: a key twice"
	rowField     = "row: a field is no text"
	rowFlag      = "row: a flag is neither true nor false"
)
