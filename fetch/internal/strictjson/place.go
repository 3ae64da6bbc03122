package strictjson

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Start is the byte of the text at which the value begins, from 0; of a string
// its opening quote.
func (v Value) Start() int {
	if v.d == nil {
		return 0
	}
	n := v.d.nodes[v.at]
	if n.kind == String {
		return int(n.start) - 1
	}
	return int(n.start)
}

// Raw is the value as it stands in the text, quotes and escapes included; ""
// when absent.
func (v Value) Raw() string {
	if v.d == nil {
		return ""
	}
	n := v.d.nodes[v.at]
	if n.kind == String {
		return v.d.text[n.start-1 : n.end+1]
	}
	return v.d.text[n.start:n.end]
}

// Path is the way from the root to the value, as jq takes it:
// ".results[0].main.sp["a b"].odds"; "." is the root, "" an absent value. It
// walks through the document: for people, not for every value.
func (v Value) Path() string {
	if v.d == nil {
		return ""
	}
	var b strings.Builder
	for at := uint32(0); at != v.at; {
		at = v.d.step(&b, at, v.at)
	}
	if b.Len() == 0 || b.String()[0] != '.' {
		return "." + b.String()
	}
	return b.String()
}

// step writes one step of the way from the container at towards the value wanted, and
// returns the next container.
func (d *Document) step(b *strings.Builder, at, wanted uint32) uint32 {
	if d.nodes[at].kind == Object {
		i := at + 1
		for d.nodes[i+1].next <= wanted {
			i = d.nodes[i+1].next
		}
		writeKey(b, d.textOf(d.nodes[i]))
		return i + 1
	}
	i, n := at+1, 0
	for ; d.nodes[i].next <= wanted; n++ {
		i = d.nodes[i].next
	}
	b.WriteString("[" + strconv.Itoa(n) + "]")
	return i
}

func writeKey(b *strings.Builder, key string) {
	if isWord(key) {
		b.WriteString("." + key)
		return
	}
	quoted, err := json.Marshal(key)
	if err != nil {
		panic(err) // a string always marshals
	}
	b.WriteString("[" + string(quoted) + "]")
}

// isWord reports whether a key may stand behind a dot without quotes.
func isWord(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}
