// Package requests keeps the newest requests of each account. When a client complains about an answer, an
// operator can find the request, and from there the data of the answer. Serve adds the requests; the command
// line and the console read them.
//
// A record has no token, no header but the request id, no address and no value of a query. Serve gives
// it the ids of a path only if the account has what they name, so no account's records ever have the
// id of another one's fixture. Requests without a known token belong to no account and are not kept.
//
// Each replica writes a file of its own for each account, <client id>.<replica>.jsonl: a line with
// the format, then a record a line. It is telemetry: nothing is synced, and what
// cannot be written is left out.
package requests

import (
	"encoding/json"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
)

// Folder is the name of the folder of the files, below that of the usage counters.
const Folder = "requests"

// Kept is how many answers of an account a replica keeps, and how many refusals. They are counted apart:
// otherwise the refusals of an account with ten requests a second would be gone within seconds.
const Kept = 128

// Record is one answered request.
type Record struct {
	At      time.Time `json:"at"`                   // when it was answered, in whole milliseconds, UTC
	ID      string    `json:"request_id,omitempty"` // "" if the answer has none: of a socket that was accepted
	Route   string    `json:"route"`                // as the specification writes it; of a socket "/realtime" with the message
	Fixture string    `json:"fixture_id,omitempty"` // in the path
	Market  string    `json:"market_id,omitempty"`  // in the path
	Status  int       `json:"status,omitempty"`     // 0 of a socket's message
	Code    string    `json:"code,omitempty"`       // of the refusal; "" if it was answered
	Message string    `json:"message,omitempty"`    // that the client got with the code
	MS      float64   `json:"ms"`                   // until the last byte was written, rounded to tenths
	Bytes   int64     `json:"bytes,omitempty"`      // of the body, as sent
	Product string    `json:"product,omitempty"`    // of the route
	Version uint64    `json:"version,omitempty"`    // of the publication that was read
	Replica string    `json:"replica,omitempty"`    // that answered; known from the name of the file
}

// Refused reports whether the request was refused.
func (r *Record) Refused() bool { return r.Code != "" }

// Path is the route with the ids in their places.
func (r *Record) Path() string {
	path := r.Route
	if r.Fixture != "" {
		path = strings.Replace(path, "{id}", r.Fixture, 1)
	}
	if r.Market != "" {
		path = strings.Replace(path, "{market_id}", r.Market, 1)
	}
	return path
}

// clean leaves in a record only what may be kept.
func (r *Record) clean() {
	r.At = r.At.UTC().Truncate(time.Millisecond)
	if !football.IsFixtureID(r.Fixture) {
		r.Fixture = ""
	}
	if !football.IsMarketID(r.Market) {
		r.Market = ""
	}
	r.Fixture, r.Market = strings.Clone(r.Fixture), strings.Clone(r.Market) // else the whole request line would stay in memory
}

// The format of the files.
//
//	1: first
const format = `{"format":1}`

const suffix = ".jsonl"

// Longer files and lines are not read: mkt serve writes none.
const (
	maxFile = 512 << 10
	maxLine = maxFile / (2 * Kept)
)

// parseName returns the account and the replica of a file. Neither has a dot.
func parseName(file string) (clientID, replica string, ok bool) {
	base, ok := strings.CutSuffix(file, suffix)
	clientID, replica, cut := strings.Cut(base, ".")
	return clientID, replica, ok && cut && layout.ValidTenantID(clientID)
}

// line returns the line of a record; nil if it cannot be one.
func (r *Record) line() []byte {
	b, err := json.Marshal(r)
	if err != nil || len(b) >= maxLine {
		return nil // a time outside of years 0 to 9999, or a text that no answer has
	}
	return append(b, '\n')
}
