package realtime

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"mkt/serve/internal/api"
)

// fields is the payload of a message by key. Keys are compared exactly, and unknown
// ones are ignored, as unknown parameters are over HTTP.
type fields map[string]json.RawMessage

func readMessage(args []json.RawMessage, offered []api.Channel) (api.Channel, fields, error) {
	var f fields
	if len(args) == 0 || json.Unmarshal(args[0], &f) != nil || f == nil {
		return "", nil, api.Refusef(api.BadRequest, "the payload must be an object such as {\"channel\":\"changes\"}")
	}
	var name string
	if !isString(f["channel"]) || json.Unmarshal(f["channel"], &name) != nil {
		return "", nil, api.Refusef(api.InvalidParameter, "channel must be the name of a channel")
	}
	c := api.Channel(name)
	if !slices.Contains(offered, c) {
		return "", nil, api.Refusef(api.NotFound, "there is no such channel; ready lists those there are")
	}
	return c, f, nil
}

// isString reports whether v is a JSON string. json.Unmarshal does not tell, because it
// also accepts null for a string.
func isString(v json.RawMessage) bool { return len(v) > 0 && bytes.TrimSpace(v)[0] == '"' }

type start struct {
	given   bool   // false: after the newest event
	cursor  uint64 // the client's last event
	backlog int    // maximum number of events on the first page
}

// maxSeq is the greatest integer for every client: 2^53 - 1.
const maxSeq = 1<<53 - 1

func readStart(f fields) (start, error) {
	s := start{backlog: api.MaxLimit}
	if v := f["cursor"]; isGiven(v) {
		n, err := parseWhole(v)
		if err != nil || n > maxSeq {
			return s, api.Refusef(api.InvalidParameter, "cursor must be the seq of an event: a whole number from 0")
		}
		s.given, s.cursor = true, n
	}
	if v := f["backlog"]; isGiven(v) {
		n, err := parseWhole(v)
		if err != nil || n < api.MinLimit || n > api.MaxLimit {
			return s, api.Refusef(api.InvalidParameter, "backlog must be a whole number from %d to %d", api.MinLimit, api.MaxLimit)
		}
		s.backlog = int(n)
	}
	return s, nil
}

// isGiven reports whether a field has a value. A client without a cursor yet may send null.
func isGiven(v json.RawMessage) bool { return v != nil && string(bytes.TrimSpace(v)) != "null" }

// parseWhole parses a JSON number of digits only. 1.0 and 1e3 are refused as 1.5 and
// 1e21 are, because a seq is never written like that.
func parseWhole(v json.RawMessage) (uint64, error) {
	return strconv.ParseUint(string(bytes.TrimSpace(v)), 10, 64)
}
