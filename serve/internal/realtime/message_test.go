package realtime

import (
	"encoding/json"
	"errors"
	"testing"

	"mkt/serve/internal/api"
)

// Every message of a client is accepted, within the contract's bounds, or refused with one of
// the contract's codes.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{`{"channel":"changes"}`, `{"channel":"changes","cursor":12,"backlog":200}`, `{"channel":"live"}`, `{"channel":1e3}`, `{"channel":"changes","cursor":1e21}`,
		`[]`, `null`, `"changes"`, ``, `{"channel":"changes","cursor":-0}`, `{"channel":"changes","cursor":9007199254740991}`, "{\"channel\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		name, fields, err := readMessage([]json.RawMessage{payload}, api.Channels())
		if err != nil {
			refusedWith(t, err, api.BadRequest, api.InvalidParameter, api.NotFound)
			return
		}
		if name != channels[channelIndex(name)].name {
			t.Errorf("channel %q", name)
		}
		s, err := readStart(fields)
		if err != nil {
			refusedWith(t, err, api.InvalidParameter)
			return
		}
		if s.cursor > maxSeq || s.backlog < 1 || s.backlog > 200 {
			t.Errorf("%s gives %+v", payload, s)
		}
	})
}

func refusedWith(t *testing.T, err error, codes ...api.Code) {
	t.Helper()
	var e *api.Error
	for _, code := range codes {
		if errors.As(err, &e) && e.Code == code {
			return
		}
	}
	t.Errorf("refused with %v", err)
}

// The token of the object counts, or without one the header's. Only a string is a token.
func FuzzToken(f *testing.F) {
	f.Add([]byte(`{"token":"x"}`), "Bearer y")
	f.Add([]byte(`{"token":""}`), "Bearer y")
	f.Add([]byte(`{"token":null}`), "bearer  y ")
	f.Add([]byte(nil), "Basic y")
	f.Fuzz(func(t *testing.T, auth []byte, header string) {
		token, ok := tokenOf(auth, []string{header})
		var object map[string]any
		json.Unmarshal(auth, &object)
		named, given := object["token"]
		text, isText := named.(string)
		switch {
		case given && !isText && ok:
			t.Errorf("%s gives the token %q", auth, token)
		case given && isText && text != "" && (!ok || token != text):
			t.Errorf("%s gives %q, %v", auth, token, ok)
		case !given && !ok:
			t.Errorf("%s: the header is not looked at", auth)
		}
	})
}
