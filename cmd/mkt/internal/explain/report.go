package explain

import (
	"time"

	"mkt/publish/football"
)

// Report says where one id or value comes from.
type Report struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"` // fixture, market, selection, live
	Title   string           `json:"title"`
	Tenant  string           `json:"tenant"`
	Product football.Product `json:"product"`

	Publication Publication `json:"publication"` // the one that was looked at
	// Cycle is the one whose payloads were read. CarriedOver means that it is earlier
	// than that of the publication.
	Cycle       string `json:"cycle_id"`
	CarriedOver bool   `json:"carried_over"`
	// Complete means that every value was traced to the payload, and that reading the
	// payload gave what was served.
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
	Kept        bool      `json:"snapshot_kept"` // false: only its commit record is left
}

// Rules are the versions of the rules when it was served and of this build.
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
	Member    string    `json:"member,omitempty"` // inside it, if it is a pack
}

// State of a value, as the contract distinguishes them.
type State string

const (
	HasValue State = "VALUE"
	IsNull   State = "NULL"   // sent without a value
	IsAbsent State = "ABSENT" // not sent
	NotApply State = "NONE"   // the market or fixture has none
)

// Value is one field as it was served.
type Value struct {
	Field string  `json:"field"`
	State State   `json:"state"`
	Value string  `json:"value,omitempty"`
	Rule  string  `json:"rule"`
	From  []Piece `json:"from"`
}

// Piece is one place in an answer, which is the one of Report.Sources with its cycle
// and number.
type Piece struct {
	Cycle    string `json:"cycle_id"`
	Response int    `json:"response"`
	Path     string `json:"path"` // as jq takes it
	Text     string `json:"text"` // what is there, cut if it is long
	Says     string `json:"says"` // what was read there
}

// Step is one cycle's sample of a fixture in play.
type Step struct {
	Cycle     string    `json:"cycle_id"`
	FetchedAt time.Time `json:"fetched_at"`
	Sampled   bool      `json:"sampled"` // the list held the fixture
	Clock     string    `json:"clock"`
	Moved     []string  `json:"moved"` // counters that changed, "corners 3-1 → 4-1"
	Gave      string    `json:"gave"`  // the result
	From      []Piece   `json:"from"`
}

// add adds a value.
func (r *Report) add(v Value) {
	if v.From == nil {
		v.From = []Piece{}
	}
	r.Values = append(r.Values, v)
}

func (r *Report) note(text string) { r.Notes = append(r.Notes, text) }

// doubt adds a note that makes the report incomplete.
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
