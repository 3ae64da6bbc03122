package socketio

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(p packet) []byte {
	var payload []byte
	switch {
	case p.kind == typeConnect:
		payload = p.auth
	case p.kind == typeEvent:
		payload, _, _ = appendArray(nil, []any{p.name})
		for _, a := range p.args {
			payload = append(append(payload[:len(payload)-1], ','), append(a, ']')...)
		}
	case p.kind == typeAck:
		payload, _ = json.Marshal(p.args)
	}
	var id *uint64
	if p.hasID {
		id = &p.id
	}
	return newMessage(p.kind, p.namespace, id, payload, make(Attachments, p.attachments)).Text()
}

// A packet does not change if it is written and parsed again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`0`, `0{"token":"x"}`, `0/admin`, `0/admin,{"a":1}`, `0/,{}`, `1`, `1/admin`, `2["ready",{"a":[1,null]}]`, `212["subscribe",{}]`,
		`312[{"ok":true}]`, `3/a,7[]`, `4{"message":"x"}`, `451-["x"]`, `51-7["x",{"_placeholder":true,"num":0}]`, `62-789[1]`,
		`2[1e21]`, `2["a"`, `2/,`, `2abc["x"]`, `5-["x"]`, `511-["x"]`, "2[\"\u2028\"]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parse(bytes.Clone(b))
		if err != nil {
			return
		}
		if p.kind < typeConnect || p.kind > typeAck || p.namespace == "" || p.namespace[0] != '/' || p.attachments > maxAttachments || p.id > maxAckID {
			t.Fatalf("%q became %+v", b, p)
		}
		for _, a := range p.args {
			if !json.Valid(a) {
				t.Errorf("%q holds %q", b, a)
			}
		}
		if p.kind == typeEvent && first([]byte(p.name)) != 0 && json.Valid([]byte(p.name)) {
			return // may have been a number
		}
		again, err := parse(write(p))
		if diff := cmp.Diff(p, again, cmp.AllowUnexported(packet{}), cmp.Comparer(sameJSON)); err != nil || diff != "" {
			t.Errorf("%q: %v %s", b, err, diff)
		}
	})
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// A placeholder without an attachment is found wherever it is, and more attachments never
// make a packet invalid.
func FuzzPlaceholders(f *testing.F) {
	for _, s := range []string{
		`{"_placeholder":true,"num":0}`, `[{"a":{"_placeholder":true,"num":1}}]`, `{"_placeholder":true}`, `{"_placeholder":1,"num":9}`,
		`{"_placeholder":true,"num":-1}`, `{"_placeholder":true,"num":0.5}`, `{"_placeholder":true,"num":"0"}`, `{"_placeholder":true,"num":1e300}`, `1`, `[`,
	} {
		f.Add([]byte(s), byte(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, n byte) {
		few := assembly{packet: packet{args: []json.RawMessage{b}}, got: make(Attachments, n%maxAttachments)}
		more := few
		more.got = make(Attachments, maxAttachments)
		if few.check() == nil && more.check() != nil {
			t.Errorf("%q: right with %d attachments only", b, n)
		}
		if json.Valid(b) && !bytes.Contains(b, []byte("_place")) && !bytes.Contains(b, []byte(`\`)) && few.check() != nil {
			t.Errorf("%q: refused without a placeholder", b)
		}
	})
}
