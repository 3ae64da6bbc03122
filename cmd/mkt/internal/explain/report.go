package explain

import (
	"time"

	"mkt/publish/football"
)

// Report is where one id or value comes from.
type Report struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"` // fixture, market, selection, live
	Title   string           `json:"title"`
	Tenant  string           `json:"tenant"`
	Product football.Product `json:"product"`

	Publication Publication `json:"publication"` // the one looked at
	// Cycle is the one whose payloads were read; CarriedOver says that it is an
	// earlier one than the publication's.
	Cycle       string `json:"cycle_id"`
	CarriedOver bool   `json:"carried_over"`
	// Complete tells that every value was led back to the payload, and that the
	// payload read once more says what was served.
	Complete bool     `json:"complete"`
	Rules    Rules    `json:"rules"`
	Sources  []Source `json:"sources"`
	Values   []Value  `json:"values"`
	Steps    []Step   `json:"steps,omitempty"` // live: the samples it was made of, oldest first
	Notes    []string `json:"notes"`
}

// Publication is a commit.
type Publication struct {
	Version     uint64    `json:"version"`
	CycleID     string    `json:"cycle_id"`
	PublishedAt time.Time `json:"published_at"`
	Kept        bool      `json:"snapshot_kept"` // false: only its record is left
}

// Rules are the versions of the rules then and now.
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
	Member    string    `json:"member,omitempty"` // inside it, when it is a pack
}

// State of a value, as the contract tells them apart.
type State string

const (
	HasValue State = "VALUE"
	IsNull   State = "NULL"   // sent without a value
	IsAbsent State = "ABSENT" // not sent
	NotApply State = "NONE"   // the market or fixture has no such thing
)

// Value is one field as it was served.
type Value struct {
	Field string  `json:"field"`
	State State   `json:"state"`
	Value string  `json:"value,omitempty"`
	Rule  string  `json:"rule"`
	From  []Piece `json:"from"`
}

// Piece is one place in an answer. In one of Report.Sources, by its cycle and
// number.
type Piece struct {
	Cycle    string `json:"cycle_id"`
	Response int    `json:"response"`
	Path     string `json:"path"` // as jq takes it
	Text     string `json:"text"` // what stands there, cut when it is long
	Says     string `json:"says"` // what was read there
}

// Step is one cycle's sample of a fixture in play.
type Step struct {
	Cycle     string    `json:"cycle_id"`
	FetchedAt time.Time `json:"fetched_at"`
	Sampled   bool      `json:"sampled"` // the list held the fixture
	Clock     string    `json:"clock"`
	Moved     []string  `json:"moved"` // counters that are others than before, "corners 3-1 → 4-1"
	Gave      string    `json:"gave"`  // what it came to
	From      []Piece   `json:"from"`
}

func (r *Report) note(text string) { r.Notes = append(r.Notes, text) }

// doubt is a note that makes the report incomplete.
func (r *Report) doubt(text string) {
	r.Complete = false
	r.note(text)
}

// maxText bounds what is shown of a place in a payload, in bytes.
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
