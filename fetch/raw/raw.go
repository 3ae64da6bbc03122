// Package raw is the archive of a cycle: every provider response byte for byte,
// zstd-compressed, and its request. Bytes are never edited. A response that cannot be
// the requested one is stored separately as rejected: only if it is text, limited in
// size and with the credential masked. The archive contains no secret: requests are
// recorded without the credential.
//
// Folder raw/cycle=<cycle>/: answers.tar.zst with the bodies, responses/<6 digits> and
// rejected/<6 digits>, each in a zstd frame of its own with its tar header;
// fetch.json (the Responses, in order), and cycle.json ([Cycle]), written last: a folder
// without it is ignored. fetch writes through [Create], [Writer.Add], [Writer.Reject] and
// [Writer.Seal]; everything else reads through [Open] and [Newest].
//
// If a product has thousands of cycles a day, [Compact] moves those of ten minutes into one
// file, from=<minute>.tar.zst, with the bodies uncompressed inside it.
//
// state/raw.json names the last begun cycle, so no step has to list cycles. It can
// be rebuilt from the folders.
//
// "Byte for byte" refers to the response's content, after a gzip transfer is decoded.
package raw

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Format is the version of cycle.json and fetch.json.
//
//	1: first; every body is a file, responses/<6 digits>.zst or rejected/<6 digits>.zst
//	2: all bodies are in answers.tar.zst
const Format = 2

// Limits of an archive, for writing and for reading.
const (
	MaxResponses = 999_999   // per cycle; six digits
	MaxBody      = 256 << 20 // bytes of one answer, uncompressed
	MaxRejected  = 64 << 10  // bytes kept of a rejected one
	maxHeader    = 256 << 20 // bytes of fetch.json or cycle.json
)

// ErrNotSealed: the cycle has no header. It was never fetched, or the run that fetched it
// did not finish.
var ErrNotSealed = errors.New("no answers of the cycle are kept, or its retrieval was interrupted")

// ErrCorrupt: the files of the archive were changed after they were written.
var ErrCorrupt = errors.New("raw archive is damaged")

// Outcome of a cycle's fetch.
type Outcome string

const (
	Complete Outcome = "COMPLETE" // every request was answered
	Partial  Outcome = "PARTIAL"  // some fixtures' markets could not be fetched
	Failed   Outcome = "FAILED"   // nothing to transform
)

// Cycle is the header of a raw cycle, cycle.json.
type Cycle struct {
	Format          int              `json:"format"`
	ClientID        string           `json:"client_id"`
	Product         football.Product `json:"product"`
	Provider        string           `json:"provider"`
	Bookmaker       string           `json:"bookmaker,omitempty"`  // whose prices were asked for; "" if the provider sells those of one, and before 2026-11-22
	Connection      string           `json:"connection,omitempty"` // a hash of the credential and the base URL that were used; "" before 2026-11-30
	CycleID         layout.CycleID   `json:"cycle_id"`
	StartedAt       time.Time        `json:"started_at"`
	FinishedAt      time.Time        `json:"finished_at"`
	Outcome         Outcome          `json:"outcome"`
	Code            health.Code      `json:"code,omitempty"` // if Failed, the reason; if Partial, why the run stopped early, if it did
	ListingComplete bool             `json:"listing_complete"`
	Failed          []string         `json:"failed,omitempty"`      // provider fixture ids whose markets could not be fetched, sorted
	NotOffered      []string         `json:"not_offered,omitempty"` // those that the provider answered for without markets, sorted
	Requests        int              `json:"requests"`
	Resume          string           `json:"resume,omitempty"` // where the next cycle continues, in the adapter's own form
	// Previous is the newest earlier cycle that had something to transform when this one
	// began; "" if there was none.
	Previous    layout.CycleID   `json:"previous,omitempty"`
	Counters    map[string]int64 `json:"counters,omitempty"`
	FetchSHA256 string           `json:"fetch_sha256"` // of fetch.json
}

// CounterValues is the name of the counter of JSON values and keys in the accepted
// answers. Cycles from before 2026-11-22 do not have it.
const CounterValues = "response_values"

// Response is one archived answer, an entry of fetch.json.
type Response struct {
	Number    int               `json:"number"` // from 1, in the order archived
	Endpoint  string            `json:"endpoint"`
	Path      string            `json:"path"`
	Query     url.Values        `json:"query,omitempty"` // without the credential
	Attempt   int               `json:"attempt"`         // from 1
	Status    int               `json:"status"`
	Header    map[string]string `json:"header,omitempty"` // selected headers
	FetchedAt time.Time         `json:"fetched_at"`
	File      string            `json:"file"`                // name in answers.tar.zst; in format 1 relative to the cycle's folder
	Frame     *Frame            `json:"frame,omitempty"`     // where it is in answers.tar.zst; nil in format 1
	Bytes     int64             `json:"bytes"`               // of the archived bytes, uncompressed
	SHA256    string            `json:"sha256"`              // of the uncompressed bytes
	Rejected  string            `json:"rejected,omitempty"`  // why it was rejected; "" if accepted
	Truncated bool              `json:"truncated,omitempty"` // a rejected body was cut at MaxRejected, or left out since it is not text
}

// Accepted reports whether the answer was accepted.
func (r Response) Accepted() bool { return r.Rejected == "" }

// Frame is a part of answers.tar.zst: a zstd frame that contains the tar header of one
// body, and the body.
type Frame struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// unlessNewer returns [ErrCorrupt] for an unreadable header, unless a newer
// version wrote it.
func unlessNewer(err error) error {
	if errors.Is(err, layout.ErrNewer) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// damaged returns [ErrCorrupt] for a file missing or too large; other errors are
// the disk's.
func damaged(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrTooLarge) || errors.Is(err, durable.ErrNotRegular) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}
