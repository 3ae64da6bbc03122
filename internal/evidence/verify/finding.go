package verify

import (
	"maps"
	"slices"
)

// Finding is one difference from the sealed state.
type Finding struct {
	Code string `json:"code"` // one of Codes
	File string `json:"file"` // relative to the account's product
	What string `json:"what"`
	Fix  string `json:"fix"`
}

type Report struct {
	Tenant   string    `json:"client_id"`
	Product  string    `json:"product"`
	Clean    bool      `json:"clean"`
	Judged   bool      `json:"judged"` // false: writers changed the data faster than it could be read
	Head     *Head     `json:"head"`   // nil if nothing was published
	Checked  Checked   `json:"checked"`
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes"` // parts left unchecked, and unusual but allowed states
	// Unconfirmed are the findings of the last reading alone. It is empty in a report with Judged.
	Unconfirmed []Finding `json:"unconfirmed,omitempty"`
}

// confirmedBy returns the findings shared with an earlier reading.
func (r Report) confirmedBy(before Report) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !slices.Contains(before.Findings, f) })
}

// Head is the newest publication. Its hash covers everything before it: write it down
// elsewhere, and use it as [Options].Expect later.
type Head struct {
	Version uint64 `json:"version"`
	Cycle   string `json:"cycle_id"`
	SHA256  string `json:"sha256"` // of its commit record
}

// Checked counts the data read.
type Checked struct {
	Commits   int   `json:"commits"`
	Snapshots int   `json:"snapshots"`
	Canonical int   `json:"canonical_cycles"`
	Raw       int   `json:"raw_cycles"`
	Files     int   `json:"files"`
	Bytes     int64 `json:"bytes"`
	Rows      int64 `json:"rows"`
	Events    int64 `json:"events"`
	Steps     int64 `json:"steps"`
	Rebuilt   int   `json:"remade"` // cycles and snapshots
}

// codes describes every code. docs/reference.md has a line for each.
var codes = map[string]string{
	"COMMIT_MISSING":      "a commit record is not there",
	"COMMIT_DAMAGED":      "a commit record cannot be read",
	"CHAIN_BROKEN":        "a commit record does not carry the hash of the one before it",
	"COMMIT_ORDER":        "times, cycles or seq of two commit records do not follow each other",
	"HEAD_UNKNOWN":        "no commit record has the expected hash: the history was cut or rewritten",
	"HEAD_BEHIND":         "CURRENT or a state file names a newer publication than there is",
	"CURRENT_WRONG":       "CURRENT does not name the newest commit",
	"FLOORS_WRONG":        "the record of deletions by retention contradicts the commit records",
	"SNAPSHOT_MISSING":    "a snapshot is missing, and retention did not delete it",
	"MANIFEST_DAMAGED":    "a manifest is not the one that was committed",
	"MANIFEST_CHAIN":      "a manifest does not carry the hash of the one before it",
	"FIXTURES_ROOT":       "the root over the fixtures, on which receipts rest, is not that of the fixtures",
	"FILE_MISSING":        "a file of a snapshot is missing",
	"FILE_DAMAGED":        "a file of a snapshot is not as it was sealed",
	"ROWS_DIFFER":         "the rows of a table are not those that its manifest describes",
	"SELECTION_TWICE":     "an id of a selection occurs twice in a fixture; of rules before version 4 it is a note",
	"CHANGES_MISSING":     "a segment of the change log is missing",
	"CHANGES_DAMAGED":     "a segment of the change log is not as it was sealed",
	"STEPS_MISSING":       "a segment of the steps of prices is missing",
	"STEPS_DAMAGED":       "a segment of the steps of prices is not as it was sealed",
	"SEQ_GAP":             "the numbers of change events have a gap or a duplicate",
	"EVENTS_DIFFER":       "the events are not the difference between two snapshots",
	"CANONICAL_MISSING":   "a canonical cycle is missing, and retention did not delete it",
	"CANONICAL_DAMAGED":   "a canonical cycle is not the one that was published",
	"RAW_MISSING":         "a raw cycle is missing, and retention did not delete it",
	"RAW_DAMAGED":         "a raw cycle is not the one that was transformed",
	"UNKNOWN_FILE":        "a file or folder does not belong to the data",
	"UNREADABLE":          "a file or folder cannot be read by this user, or is a link, a socket or a pipe",
	"FORMAT_NEWER":        "a newer version of mkt wrote a file; it is not damaged",
	"TRANSFORM_DIFFERS":   "transforming the raw cycle again does not give the canonical one",
	"PUBLICATION_DIFFERS": "publishing the canonical cycle again does not give the snapshot",
}

// Codes returns every code with its description.
func Codes() map[string]string { return maps.Clone(codes) }
