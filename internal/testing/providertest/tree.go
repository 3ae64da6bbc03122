package providertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

// tree is a JSON value that keeps the order of members and can be changed.
type tree struct {
	kind    byte // '{', '[', or 0 for a scalar
	members []member
	scalar  json.RawMessage
}

type member struct {
	key   string // of an object
	value *tree
}

func parseTree(t *testing.T, body []byte) *tree {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	v, err := readTree(d)
	if err != nil {
		t.Fatalf("a sample is no JSON: %v", err)
	}
	return v
}

func readTree(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		raw, err := json.Marshal(token)
		return &tree{scalar: raw}, err
	}
	v := &tree{kind: byte(open)}
	for d.More() {
		var m member
		if v.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			m.key = key.(string)
		}
		if m.value, err = readTree(d); err != nil {
			return nil, err
		}
		v.members = append(v.members, m)
	}
	_, err = d.Token()
	return v, err
}

// reverse turns the members of every object round.
func (v *tree) reverse() {
	if v.kind == '{' {
		slices.Reverse(v.members)
	}
	for _, m := range v.members {
		m.value.reverse()
	}
}

// edit visits every member of every object; false removes it.
func (v *tree) edit(visit func(key string, value *tree) bool) {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return v.kind == '{' && !visit(m.key, m.value) })
	for _, m := range v.members {
		m.value.edit(visit)
	}
}

// text is the content of a string and the characters of a number, "" of anything else.
func (v *tree) text() (s string) {
	var number json.Number
	switch {
	case v.kind != 0:
	case json.Unmarshal(v.scalar, &s) == nil: // null is ""
	case json.Unmarshal(v.scalar, &number) == nil:
		return number.String()
	}
	return s
}

func (v *tree) bytes() []byte {
	var b bytes.Buffer
	v.write(&b)
	return b.Bytes()
}

func (v *tree) write(b *bytes.Buffer) {
	if v.kind == 0 {
		b.Write(v.scalar)
		return
	}
	b.WriteByte(v.kind)
	for i, m := range v.members {
		if i > 0 {
			b.WriteByte(',')
		}
		if v.kind == '{' {
			key, _ := json.Marshal(m.key)
			b.Write(key)
			b.WriteByte(':')
		}
		m.value.write(b)
	}
	b.WriteByte(v.kind + 2) // '}' and ']' stand two behind '{' and '['
}
