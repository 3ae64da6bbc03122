package replay

import (
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// Outcome is the result of one cycle.
type Outcome string

const (
	SameBytes Outcome = "SAME"               // every file has the same bytes
	SameRows  Outcome = "SAME_ROWS"          // other bytes, the same rows
	Differs   Outcome = "DIFFERS"            // different rows
	Failed    Outcome = "FAILED"             // it was published, and publishing it again failed
	AsBefore  Outcome = "NOT_PUBLISHED"      // it was not published, and cannot be now
	New       Outcome = "NEW"                // it was published only now
	Unknown   Outcome = "NOTHING_TO_COMPARE" // the publication is deleted, and its record has too little
)

// Report is the result of a replay.
type Report struct {
	Tenant    string           `json:"client_id"`
	Product   football.Product `json:"product"`
	From      string           `json:"from"`
	To        string           `json:"to"`
	Into      string           `json:"into"`
	Base      string           `json:"base,omitempty"` // the cycle before the range
	Rules     string           `json:"rules"`          // of this build
	Version   string           `json:"binary_version"`
	Published int              `json:"published"` // publications in the range
	Outcomes  map[Outcome]int  `json:"outcomes"`
	Cycles    []Cycle          `json:"cycles"`
	Notes     []string         `json:"notes,omitempty"`
}

func (r *Report) add(c Cycle) {
	if r.Outcomes == nil {
		r.Outcomes = map[Outcome]int{}
	}
	r.Outcomes[c.Outcome]++
	r.Cycles = append(r.Cycles, c)
}

// Same reports whether every comparable cycle has the same rows.
func (r *Report) Same() bool { return r.Outcomes[Differs]+r.Outcomes[Failed]+r.Outcomes[New] == 0 }

// Versions are the versions of the rules and of the binary behind a cycle.
type Versions struct {
	Rules  string `json:"derivation_version"`
	Binary string `json:"binary_version"`
}

// Cycle compares the two runs of one cycle.
type Cycle struct {
	Cycle   string   `json:"cycle_id"`
	Outcome Outcome  `json:"outcome"`
	Then    Versions `json:"then"`
	Why     []string `json:"why,omitempty"`
	Error   string   `json:"error,omitempty"`
	Tables  []Table  `json:"tables,omitempty"`  // the different ones
	Changed []Change `json:"changed,omitempty"` // the first different rows
	Columns Counts   `json:"columns,omitempty"` // by column, how many rows differ
}

// Table is a table with a different number of rows or different rows.
type Table struct {
	Name     string `json:"name"`
	RowsThen int64  `json:"rows_then"`
	RowsNow  int64  `json:"rows_now"`
}

// Counts are counts by column.
type Counts map[string]int

// Change is a different row.
type Change struct {
	Table   string   `json:"table"`
	Row     string   `json:"row"`
	What    string   `json:"what"` // added, removed, changed
	Columns []string `json:"columns,omitempty"`
	Example string   `json:"example,omitempty"` // of the first column: old → new
}

// rulesOf returns the version of the rules of a product.
func rulesOf(p football.Product) string {
	if p == football.LiveIntelligence {
		return rules.Version
	}
	return football.DerivationVersion
}
