package socketio_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mkt/serve/internal/socketio"
)

const placeholder0 = `{"_placeholder":true,"num":0}`

func TestEvents(t *testing.T) {
	cases := []struct {
		name       string
		send, want []string
	}{
		{"several arguments", []string{`2["message",1,"2",{"3":[true]}]`}, []string{`2["message-back",1,"2",{"3":[true]}]`}},
		{"none", []string{`2["message"]`}, []string{`2["message-back"]`}},
		{"nulls", []string{`2["message",null,null]`}, []string{`2["message-back",null,null]`}},
		{"as written", []string{`2["message",1.50,1e21,"<&\u2028>",{"b":1,"a":2}]`}, []string{`2["message-back",1.50,1e21,"<&\u2028>",{"b":1,"a":2}]`}},
		{"ack", []string{`2456["message-with-ack",1,"2",{"3":[false]}]`}, []string{`3456[1,"2",{"3":[false]}]`}},
		{"ack 0", []string{`20["x"]`}, []string{`30[]`}},
		{"largest ack id", []string{`29007199254740991["x"]`}, []string{`39007199254740991[]`}},
		{"unknown event", []string{`2["what",1]`, `2["message"]`}, []string{`2["message-back"]`}},
		{"number as a name", []string{`2[7,1]`, `2["message"]`}, []string{`2["message-back"]`}},
		{"unknown ack", []string{`312[1]`, `2["message"]`}, []string{`2["message-back"]`}},
		{"binary", []string{`52-["message",` + placeholder0 + `,{"a":[{"_placeholder":true,"num":1}]}]`, "b\x01\x02", "b\x03"},
			[]string{`52-["message-back",` + placeholder0 + `,{"a":[{"_placeholder":true,"num":1}]}]`, "binary \x01\x02", "binary \x03"}},
		{"empty attachment", []string{`51-["message",` + placeholder0 + `]`, "b"}, []string{`51-["message-back",` + placeholder0 + `]`, "binary "}},
		{"binary ack", []string{`52-789["x",` + placeholder0 + `,{"_placeholder":true,"num":1}]`, "b\x01", "b\x02"},
			[]string{`62-789[` + placeholder0 + `,{"_placeholder":true,"num":1}]`, "binary \x01", "binary \x02"}},
		{"binary ack from a client", []string{`61-3[` + placeholder0 + `]`, "bx", `2["message"]`}, []string{`2["message-back"]`}},
		{"no placeholder used", []string{`51-["message",1]`, "bx"}, []string{`51-["message-back",1]`, "binary x"}},
		{"main by name", []string{`2/,5["message",1]`}, []string{`35[1]`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, socketio.Options{}).join()
			for _, text := range c.send {
				if data, binary := strings.CutPrefix(text, "b"); binary {
					s.binary(data)
				} else {
					s.send(text)
				}
			}
			s.want(c.want...)
		})
	}
}

func TestNamespaces(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	s.send("0/custom")
	s.wantJoined("/custom,")
	s.send(`2/custom,["message","a"]`)
	s.send(`2/custom,12["message","b"]`)
	s.send(`51-/custom,["message",` + placeholder0 + `]`)
	s.binary("x")
	s.want(`2/custom,["message-back","a"]`, `3/custom,12["b"]`, `51-/custom,["message-back",`+placeholder0+`]`, "binary x")
}

func TestViolations(t *testing.T) {
	cases := map[string][]string{
		"no packet":                  {"abc"},
		"empty":                      {""},
		"unknown type":               {"7"},
		"second connect":             {"0"},
		"connect error":              {`4{"message":"x"}`},
		"event without payload":      {"2"},
		"payload no array":           {"2{}"},
		"payload null":               {"2null"},
		"no name":                    {"2[]"},
		"name no string":             {"2[{}]"},
		"reserved name":              {`2["connect"]`},
		"reserved name, escaped":     {`2["\u0064isconnecting"]`},
		"words before the array":     {`2abc["message"]`},
		"cut JSON":                   {`2["message"`},
		"two arrays":                 {`2["message"][1]`},
		"ack without id":             {"3[]"},
		"ack no array":               {"31{}"},
		"ack id too large":           {`29007199254740992["x"]`},
		"namespace not joined":       {`2/custom,["message"]`},
		"unknown namespace":          {`2/random,["message"]`},
		"leaves what is not joined":  {"1/custom"},
		"disconnect with payload":    {"1[]"},
		"connect with array":         {"0/custom,[]"},
		"connect with null":          {"0/custom,null"},
		"connect with broken JSON":   {"0/custom,{"},
		"no attachments":             {`50-["message"]`},
		"no number of attachments":   {`5["message"]`},
		"too many attachments":       {`511-["message"]`},
		"odd number":                 {`5+1-["message"]`},
		"text for an attachment":     {`51-["message",` + placeholder0 + `]`, `2["message"]`},
		"attachment without a place": {"bx"},
		"placeholder out of range":   {`51-["message",{"_placeholder":true,"num":1}]`, "bx"},
		"placeholder below zero":     {`51-["message",{"_placeholder":true,"num":-1}]`, "bx"},
		"placeholder without number": {`51-["message",{"_placeholder":true}]`, "bx"},
		"placeholder between":        {`51-["message",[{"a":{"_placeholder":true,"num":0.5}}]]`, "bx"},
		"binary connect error":       {`8`},
	}
	for name, packets := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, socketio.Options{})
			other, s := h.join(), h.join()
			for _, text := range packets {
				if data, binary := strings.CutPrefix(text, "b"); binary {
					s.binary(data)
				} else {
					s.send(text)
				}
			}
			s.want("closed")
			h.wantCalls("disconnect " + socketio.ReasonProtocol)
			other.send(`2["message"]`)
			other.want(`2["message-back"]`)
		})
	}
	t.Run("event before connect", func(t *testing.T) {
		s := start(t, socketio.Options{}).open()
		s.send(`2["message"]`)
		s.want("closed")
	})
}

func TestPacketEncoding(t *testing.T) {
	for _, c := range []struct {
		want string
		args []any
	}{
		{`2["e"]`, nil},
		{`2["e",null,1.5,"<\u001e>"]`, []any{nil, 1.5, "<\x1e>"}},
		{`2["e",{"b":1, "a":2}]`, []any{json.RawMessage(`{"b":1, "a":2}`)}},
		{`2["e",null]`, []any{json.RawMessage(nil)}},
		{`51-["e",` + placeholder0 + `]`, []any{json.RawMessage(placeholder0), socketio.Attachments{[]byte("x")}}},
	} {
		h := start(t, socketio.Options{})
		s := h.join()
		p, err := socketio.NewPacket("e", c.args...)
		must(t, err)
		(<-h.sockets).Send(p)
		s.want(c.want)
		if p.Size() < len(c.want) {
			t.Errorf("size %d of %q", p.Size(), c.want)
		}
	}
	if _, err := socketio.NewPacket("e", func() {}); err == nil {
		t.Error("a function was encoded")
	}
	if _, err := socketio.NewPacket("e", make(socketio.Attachments, 11)); err == nil {
		t.Error("11 attachments were accepted")
	}
}
