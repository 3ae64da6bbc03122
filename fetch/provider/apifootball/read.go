package apifootball

import (
	"fmt"
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider/apifootball/internal/wire"
	"mkt/publish/football"
)

// readResponse parses an archived answer and returns its items. It is an error if the
// bytes do not parse, if the envelope has a key twice or says an error, and if there is
// no list: of an answer with a damaged envelope nothing can be believed.
func readResponse(d *strictjson.Document, body []byte) (strictjson.Value, error) {
	if err := d.Parse(body); err != nil {
		return strictjson.Value{}, err
	}
	envelope := d.Root()
	if envelope.Repeats() {
		return strictjson.Value{}, fmt.Errorf("the envelope has a key twice")
	}
	if _, said := errorIn(envelope.Get(wire.KeyErrors)); said {
		return strictjson.Value{}, fmt.Errorf("the envelope says an error")
	}
	items := envelope.Get(wire.KeyResponse)
	if items.Kind() != strictjson.Array {
		return strictjson.Value{}, fmt.Errorf("%s is no list", wire.KeyResponse)
	}
	return items, nil
}

// paging is what an answer says of itself: its page of how many, and its items.
type paging struct{ current, total, results int }

// readPaging reads the paging of an answer. It is not ok if there is one that cannot be
// read, or if the answer has another number of items than it says.
func readPaging(envelope strictjson.Value) (p paging, ok bool) {
	const most = 1 << 20
	v := envelope.Get(wire.KeyPaging)
	current, okCurrent := whole(v.Get(wire.KeyCurrent), most)
	total, okTotal := whole(v.Get(wire.KeyTotal), most)
	results, okResults := whole(envelope.Get(wire.KeyResults), most)
	if !okCurrent || !okTotal || !okResults || v.Repeats() || results != envelope.Get(wire.KeyResponse).Len() {
		return paging{}, false
	}
	return paging{current, total, results}, true
}

// field keeps the three states of a text: absent, null or "", and present. Numbers keep
// their own characters. What is no text was sent without a value that can be read.
func field(v strictjson.Value) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	if text := v.Text(); text != "" && isText(v) {
		return football.Of(text)
	}
	return football.NullField[string]()
}

// isText reports whether a value can hold a text: a string, or a number, which keeps its
// own characters.
func isText(v strictjson.Value) bool {
	return v.Kind() == strictjson.String || v.Kind() == strictjson.Number
}

// isWrong reports whether a value stands where a text is expected and is none.
func isWrong(v strictjson.Value) bool {
	return !isText(v) && v.Kind() != strictjson.Absent && v.Kind() != strictjson.Null
}

// isEmpty reports whether v holds nothing: null, {} or [], which the provider's software
// writes for an empty object too.
func isEmpty(v strictjson.Value) bool {
	switch v.Kind() {
	case strictjson.Absent, strictjson.Null:
		return true
	case strictjson.Object, strictjson.Array:
		return v.Len() == 0
	}
	return false
}

// identifier is a provider id: digits that are not zero, sent as a number or as text; ""
// for anything else. The provider writes 0 for what it does not know.
func identifier(v strictjson.Value) string {
	if !isText(v) {
		return ""
	}
	id := v.Text()
	if len(id) > 18 || strings.Trim(id, "0123456789") != "" || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// whole reads a number of digits of at most most.
func whole(v strictjson.Value, most int) (int, bool) {
	if !isText(v) {
		return 0, false
	}
	text := v.Text()
	if text == "" || len(text) > 12 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		n = n*10 + int(c-'0')
	}
	return n, n <= most
}

// maxClip bounds what is kept of a value that is not understood, in bytes.
const maxClip = 256

// clip is the text of a value, of which no more than its beginning is kept if it is
// long and no text.
func clip(v strictjson.Value) string {
	text := v.Text()
	if isText(v) || len(text) <= maxClip {
		return text
	}
	return head(text, maxClip) + "…"
}

// head is the beginning of a text, of at most most bytes.
func head(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
