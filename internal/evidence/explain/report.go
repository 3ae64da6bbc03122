package explain

import (
	"time"

	"mkt/publish/football"
)

// Report is the derivation of one id or value.
type Report struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"` // fixture, market, selection, live
	Title   string           `json:"title"`
	Tenant  string           `json:"client_id"`
	Product football.Product `json:"product"`

	Publication Publication `json:"publication"` // the requested publication
	// Cycle is the cycle of the payloads read. CarriedOver is true if it is earlier than the cycle
	// of the publication.
	Cycle       string `json:"cycle_id"`
	CarriedOver bool   `json:"carried_over"`
	// Complete is true if every value was traced to the payload, and reading the payload again
	// returned the served values.
	Complete bool     `json:"complete"`
	Rules    Rules    `json:"rules"`
	Sources  []Source `json:"sources"`
	Values   []Value  `json:"values"`
	Changes  []Change `json:"changes,omitempty"` // of a selection: its last ones, newest first
	Steps    []Step   `json:"steps,omitempty"`   // live: its samples, oldest first
	Notes    []string `json:"notes"`
}

// Publication is a commit.
type Publication struct {
	Version     uint64    `json:"version"`
	CycleID     string    `json:"cycle_id"`
	PublishedAt time.Time `json:"published_at"`
	Kept        bool      `json:"snapshot_kept"` // false: only the commit record is left
}

// Rules are the versions of the rules at the time and in this build.
type Rules struct {
	Then string `json:"then"`
	Now  string `json:"now"`
}

// Source is one archived answer.
type Source struct {
	Cycle     string    `json:"cycle_id"`
	Response  int       `json:"response"`
	Endpoint  string    `json:"endpoint"`
	FetchedAt time.Time `json:"fetched_at"`
	SHA256    string    `json:"sha256"` // of the uncompressed bytes
	Bytes     int64     `json:"bytes"`
	File      string    `json:"file"`             // below the folder of tenant and product
	Member    string    `json:"member,omitempty"` // inside File, if it is a pack
}

// State of a value, as the contract distinguishes them.
type State string

const (
	HasValue State = "VALUE"
	IsNull   State = "NULL"   // sent without a value
	IsAbsent State = "ABSENT" // not sent
	NotApply State = "NONE"   // does not apply to the market or fixture
)

// Value is one field as it was served.
type Value struct {
	Field string  `json:"field"`
	State State   `json:"state"`
	Value string  `json:"value,omitempty"`
	Rule  string  `json:"rule"`
	From  []Piece `json:"from"`
}

// Piece is one place in an answer: the one of [Report].Sources with its cycle and number.
type Piece struct {
	Cycle    string `json:"cycle_id"`
	Response int    `json:"response"`
	Path     string `json:"path"` // for jq
	Text     string `json:"text"` // the text at Path, shortened if it is long
	Says     string `json:"says"` // how the text was read
}

// Step is one cycle's sample of a fixture in play.
type Step struct {
	Cycle     string    `json:"cycle_id"`
	FetchedAt time.Time `json:"fetched_at"`
	Sampled   bool      `json:"sampled"` // the list held the fixture
	Clock     string    `json:"clock"`
	Moved     []string  `json:"moved"` // changed counters, "corners 3-1 → 4-1"
	Gave      string    `json:"gave"`  // the effect
	From      []Piece   `json:"from"`
}

func (r *Report) add(v Value) {
	if v.From == nil {
		v.From = []Piece{}
	}
	r.Values = append(r.Values, v)
}

func (r *Report) note(text string) { r.Notes = append(r.Notes, text) }

func (r *Report) doubt(text string) {
	r.Complete = false
	r.note(text)
}

// maxText bounds [Piece].Text, in bytes.
const maxText = 2000

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
