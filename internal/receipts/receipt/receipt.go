// Package receipt has the receipts of prices and of matches in play: files with which anybody can check,
// offline and with public keys alone, that a price or the state of a match was in a publication, and when
// that publication was logged.
//
// A receipt shows one fixture of one publication, and nothing else of the account. docs/receipt-format.md
// describes the format and how to check it, for those who do not use this code.
package receipt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/snapshot"
)

// The formats of receipts, one a kind. Others are not read. Version 1, of builds before 0.1.0, had another claim.
const (
	Format     = "mkt.receipt/v2"      // of a price
	LiveFormat = "mkt.live-receipt/v2" // of a match in play
)

// MaxBytes is the most that a receipt may have. The largest fixture of 271 simulated ones has a receipt of 0.33 MB, and of
// 1.25 MB with its answer; the largest recorded answer of a provider, 2.5 MB, would make one of 3.9 MB. An answer of the
// largest size that fetch accepts by default, 16 MiB, with the most selections of a fixture fits.
const MaxBytes = 64 << 20

// ErrInvalid: a file is no receipt, or does not prove what it says.
var ErrInvalid = errors.New("the receipt does not hold")

// Receipt is a receipt of the price of one selection, or of one match in play.
type Receipt struct {
	Says        []string // the claim in words, a line each, derived from the rest
	Live        bool     // of a match in play
	FixtureID   string
	MarketID    string // "" for a match
	SelectionID string
	Fixture     string             // the entry of the fixture below fixtures_root
	Content     []byte             // the bytes of its content digest: its rows
	Path        []snapshot.Sibling // from the entry to fixtures_root
	Commits     []string           // from that of the publication to the one in the log
	Leaf        string             // of the log
	After       string             // the checkpoint that the leaf is younger than; "" if it names none
	Proof       string             // that the leaf is in the log: c2sp.org/tlog-proof
	Answer      []byte             // of the provider; empty if the receipt does not have it
}

// encoded is the order of the members.
type encoded struct {
	Says        []string `json:"says"`
	Format      string   `json:"format"`
	FixtureID   string   `json:"fixture_id"`
	MarketID    string   `json:"market_id"`
	SelectionID string   `json:"selection_id"`
	Fixture     string   `json:"fixture"`
	Content     string   `json:"content"`
	Path        []string `json:"path"`
	Commits     []string `json:"commits"`
	Leaf        string   `json:"leaf"`
	After       string   `json:"after"`
	Proof       string   `json:"proof"`
	Answer      string   `json:"answer"`
}

// Encode returns the file: JSON with a member on each line, and before them a line of the claim on each. A receipt
// has one spelling.
func (r *Receipt) Encode() []byte {
	path := make([]string, len(r.Path))
	for i, s := range r.Path {
		path[i] = sides[s.Left] + tlog.Hash(s.Hash).String()
	}
	format := Format
	if r.Live {
		format = LiveFormat
	}
	return encoded{r.Says, format, r.FixtureID, r.MarketID, r.SelectionID, r.Fixture, base64.StdEncoding.EncodeToString(r.Content),
		path, r.Commits, r.Leaf, r.After, r.Proof, base64.StdEncoding.EncodeToString(r.Answer)}.bytes()
}

// sides begin the elements of a path.
var sides = map[bool]string{true: "left ", false: "right "}

func (e encoded) bytes() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	text := func(name, value string) { fmt.Fprintf(&b, "\"%s\": %s,\n", name, quoted(value)) }
	list := func(name string, values []string, between string) {
		fmt.Fprintf(&b, "\"%s\": [%s],\n", name, joined(values, between))
	}
	list("says", e.Says, ",\n")
	text("format", e.Format)
	text("fixture_id", e.FixtureID)
	if e.Format == Format {
		text("market_id", e.MarketID)
		text("selection_id", e.SelectionID)
	}
	text("fixture", e.Fixture)
	text("content", e.Content)
	list("path", e.Path, ", ")
	list("commits", e.Commits, ", ")
	text("leaf", e.Leaf)
	text("after", e.After)
	text("proof", e.Proof)
	fmt.Fprintf(&b, "\"answer\": %s}\n", quoted(e.Answer))
	return b.Bytes()
}

// quoted returns a JSON string that is safe to show: what moves the cursor of a terminal or turns the direction of
// reading is escaped, and else only what must be, in the shortest way.
func quoted(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	from := 0 // the first byte that is not written yet
	for i, c := range s {
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' || c > 0x9f && !turns(c) {
			continue
		}
		b.WriteString(s[from:i])
		from = i + utf8.RuneLen(c)
		switch at := strings.IndexRune("\b\f\n\r\t", c); {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte("bfnrt"[at])
		default:
			fmt.Fprintf(&b, "\\u%04x", c)
		}
	}
	b.WriteString(s[from:])
	b.WriteByte('"')
	return b.String()
}

// turns reports whether a character begins another line or turns the direction of reading.
func turns(c rune) bool {
	return c == 0x061c || c == 0x200e || c == 0x200f || c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

// Parse reads a receipt. It verifies nothing but its form.
func Parse(data []byte) (*Receipt, error) {
	var e encoded
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: it is larger than %d MiB", ErrInvalid, MaxBytes>>20)
	}
	err := json.Unmarshal(data, &e)
	if e.Format != "" && e.Format != Format && e.Format != LiveFormat {
		return nil, fmt.Errorf("%w: its format is %q, and this version reads %s and %s", ErrInvalid, e.Format, Format, LiveFormat)
	}
	if err != nil || e.Format == "" {
		return nil, fmt.Errorf("%w: it is not JSON of a receipt's form", ErrInvalid)
	}
	r := &Receipt{Says: e.Says, Live: e.Format == LiveFormat, FixtureID: e.FixtureID, MarketID: e.MarketID, SelectionID: e.SelectionID, Fixture: e.Fixture,
		Commits: e.Commits, Leaf: e.Leaf, After: e.After, Proof: e.Proof}
	if r.Content, err = base64.StdEncoding.DecodeString(e.Content); err == nil {
		r.Answer, err = base64.StdEncoding.DecodeString(e.Answer)
	}
	for _, text := range e.Path {
		side, hash, _ := strings.Cut(text, " ")
		h, wrong := tlog.ParseHash(hash)
		err = errors.Join(err, wrong)
		r.Path = append(r.Path, snapshot.Sibling{Left: side == "left", Hash: h})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the content, the answer or a hash is not in base64", ErrInvalid)
	}
	if !bytes.Equal(r.Encode(), data) {
		return nil, fmt.Errorf("%w: it is spelled in another way than receipts are", ErrInvalid)
	}
	return r, nil
}
