// Package payloads remembers for about a week which members a provider's answers have and which
// markets are offered, and finds what changed: a member that is gone or new, a market that is gone,
// and a market of a name that was never seen and that nothing maps.
//
// transform reports what it saw to [Record], which keeps two files below state/ of a tenant-and-product
// root: payload_week.json, the memory, and payload.json, the [Report], which is small and for readers.
// No data depends on them. A file that is missing or damaged, another provider, bookmaker, connection
// or plan, and a pause of days begin a new memory: it needs three days before it reports anything.
package payloads

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Slot is the least time between two observations. Of the cycles of one slot only the first is observed.
const Slot = 10 * time.Minute

const (
	format     = 1 // of both files
	weekFile   = layout.StateDir + "/payload_week.json"
	reportFile = layout.StateDir + "/payload.json"
	mostBytes  = 1 << 20 // of the memory; real ones have a tenth
)

// Source is who sent the answers. Those of another source have another form.
type Source struct {
	Provider   string `json:"provider"`
	Bookmaker  string `json:"bookmaker,omitempty"`
	Connection string `json:"connection,omitempty"` // a hash of the credential and the base URL
	Plan       string `json:"plan,omitempty"`       // in the provider's words
}

// Observation is what transform saw in one cycle.
type Observation struct {
	Source Source
	// Rules names the build and the account's mapping table. Others map other markets.
	Rules string
	Cycle layout.CycleID
	At    time.Time
	// Live: the fixtures are matches in play. What they have depends on the time of the match, so a
	// change must last for an hour.
	Live     bool
	Answers  map[string]map[string]Field // by endpoint and path; the path "" is the answer itself
	Fixtures int
	Markets  map[string]Market // by the provider's key or name; of matches in play, their statistics
}

// Field counts the items of answers with a member, and those in which the member can have members.
// Envelope: an item is a whole answer.
type Field struct {
	Has, Objects int
	Envelope     bool
}

// Market counts the fixtures with the markets of one name.
type Market struct {
	Title    string // the name in the provider's words
	Has      int    // fixtures with it
	Unknown  int    // fixtures in which it is RAW, because its name is in no mapping table
	Usable   int    // markets with a selection that can be published
	UsableIn int    // fixtures with such a market
}

// Kind is a kind of change.
type Kind string

// The kinds of changes.
const (
	FieldGone  Kind = "field_gone"
	FieldNew   Kind = "field_new"
	MarketGone Kind = "market_gone"
	MarketNew  Kind = "market_new"
)

// Kinds lists every kind, the most serious first.
var Kinds = []Kind{FieldGone, MarketGone, FieldNew, MarketNew}

// Change is a change that lasts and is not a week old.
type Change struct {
	Kind    Kind           `json:"kind"`
	Answers string         `json:"answers,omitempty"` // the endpoint; "" for a market
	Name    string         `json:"name"`              // the path of a member, or the key of a market
	Title   string         `json:"title,omitempty"`   // of a market
	Since   time.Time      `json:"since"`
	After   layout.CycleID `json:"after"` // the last cycle that was observed before
	// Has of Of items or fixtures have what is new, or had in the week before what is gone.
	Has int `json:"has"`
	Of  int `json:"of"`
}

// Report is what the newest observation found, the content of state/payload.json.
type Report struct {
	Format  int            `json:"format"` // 1
	Source  Source         `json:"source"`
	Cycle   layout.CycleID `json:"cycle"`
	Live    bool           `json:"live,omitempty"`
	Changes []Change       `json:"changes,omitempty"` // in the order of Kinds
	// LostMarkets of LostFixtures would be usable if the newest fixtures had as many markets as those of the
	// whole days before the first change. Of matches in play, they are those without statistics.
	LostMarkets  int `json:"lost_markets,omitempty"`
	LostFixtures int `json:"lost_fixtures,omitempty"`
}

// First returns the change that began first. There must be one.
func (r *Report) First() Change {
	return slices.MinFunc(r.Changes, func(a, b Change) int { return a.Since.Compare(b.Since) })
}

// Of returns the changes of a kind.
func (r *Report) Of(kind Kind) (list []Change) {
	for _, c := range r.Changes {
		if c.Kind == kind {
			list = append(list, c)
		}
	}
	return list
}

// Read returns the newest report; it has no changes if there is none. An error comes from the disk.
func Read(f durable.ReadFS) (Report, error) {
	var r Report
	if ok, err := health.ReadState(f, reportFile, format, &r); !ok || r.Format != format {
		return Report{}, err
	}
	r.Changes = slices.DeleteFunc(r.Changes, func(c Change) bool { return !slices.Contains(Kinds, c.Kind) || c.Of < 1 }) // no build wrote it
	return r, nil
}

// Record adds an observation to the memory and writes the report. It does nothing for a cycle that
// is not newer than the last one.
func Record(f durable.FS, o Observation) error {
	var m memory
	ok, err := health.ReadState(f, weekFile, format, &m)
	if err == nil && ok && m.Cycle >= o.Cycle {
		return nil
	}
	if err == nil {
		if !ok || !m.continues(o) {
			m = memory{Format: format, Source: o.Source, Began: o.At}
		}
		m.clean()
		err = m.record(f, o)
	}
	if err != nil {
		return fmt.Errorf("remember the form of the answers: %w", err)
	}
	return nil
}

func (m *memory) record(f durable.FS, o Observation) error {
	m.add(o)
	data, err := json.Marshal(m)
	if err == nil && len(data) > mostBytes { // they are no names: begin again each time, and find nothing
		*m = memory{Format: format, Source: o.Source, Began: o.At, At: o.At, Cycle: o.Cycle}
		data, err = json.Marshal(m)
	}
	if err == nil {
		err = health.OverwriteState(f, weekFile, data)
	}
	if err != nil {
		return err
	}
	if data, err = layout.EncodeHeader(m.report(o)); err != nil {
		return err
	}
	return health.OverwriteState(f, reportFile, data)
}
