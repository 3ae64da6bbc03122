package verify

import (
	"maps"
	"slices"
)

// Finding is one thing that is not as it was sealed.
type Finding struct {
	Code string `json:"code"` // of a closed set, see Codes
	File string `json:"file"` // relative to the account's product
	What string `json:"what"`
	Fix  string `json:"fix"`
}

// Report is what a run found.
type Report struct {
	Tenant   string    `json:"tenant"`
	Product  string    `json:"product"`
	Clean    bool      `json:"clean"`
	Judged   bool      `json:"judged"` // false: writers changed the data faster than it could be read
	Head     *Head     `json:"head"`   // nil when nothing was published
	Checked  Checked   `json:"checked"`
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes"` // what could not be told, and what is new
	// Unconfirmed is what the last of several readings found and none before it, while
	// something was written. Only of a report that is not Judged.
	Unconfirmed []Finding `json:"unconfirmed,omitempty"`
}

// confirmedBy are the findings that an earlier reading had, too.
func (r Report) confirmedBy(before Report) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !slices.Contains(before.Findings, f) })
}

// Head is the newest publication. Its hash vouches for all that came before it:
// note it elsewhere, and hand it to Options.Expect later.
type Head struct {
	Version uint64 `json:"version"`
	Cycle   string `json:"cycle_id"`
	SHA256  string `json:"sha256"` // of its commit record
}

// Checked counts what was read.
type Checked struct {
	Commits   int   `json:"commits"`
	Snapshots int   `json:"snapshots"`
	Canonical int   `json:"canonical_cycles"`
	Raw       int   `json:"raw_cycles"`
	Files     int   `json:"files"`
	Bytes     int64 `json:"bytes"`
	Rows      int64 `json:"rows"`
	Events    int64 `json:"events"`
	Remade    int   `json:"remade"` // cycles and snapshots made again
}

// codes says of every code what it means. docs/operators.md has a line for each.
var codes = map[string]string{
	"COMMIT_MISSING":      "a commit record is not there",
	"COMMIT_DAMAGED":      "a commit record cannot be read",
	"CHAIN_BROKEN":        "a commit record does not carry the hash of the one before it",
	"COMMIT_ORDER":        "times, cycles or seq of two commit records do not follow each other",
	"HEAD_UNKNOWN":        "no commit record has the hash that was expected: the history was cut or written anew",
	"HEAD_BEHIND":         "something tells of a newer publication than there is",
	"CURRENT_WRONG":       "CURRENT does not name the newest commit",
	"FLOORS_WRONG":        "the record of what retention deleted is not what that retention gives",
	"SNAPSHOT_MISSING":    "a snapshot is gone that retention did not delete",
	"MANIFEST_DAMAGED":    "a manifest is not the one that was committed",
	"MANIFEST_CHAIN":      "a manifest does not carry the hash of the one before it",
	"FILE_MISSING":        "a file of a snapshot is gone",
	"FILE_DAMAGED":        "a file of a snapshot is not as it was sealed",
	"ROWS_DIFFER":         "the rows of a table are not those that its manifest describes",
	"CHANGES_MISSING":     "a segment of the change log is gone",
	"CHANGES_DAMAGED":     "a segment of the change log is not as it was sealed",
	"SEQ_GAP":             "the numbers of change events have a gap or a double",
	"EVENTS_DIFFER":       "the events are not the difference of two snapshots",
	"CANONICAL_MISSING":   "a canonical cycle is gone that retention did not delete",
	"CANONICAL_DAMAGED":   "a canonical cycle is not the one that was published",
	"RAW_MISSING":         "a raw cycle is gone that retention did not delete",
	"RAW_DAMAGED":         "a raw cycle is not the one that was transformed",
	"UNKNOWN_FILE":        "nothing accounts for a file or folder",
	"UNREADABLE":          "a file or folder cannot be read by this user, or is a link, a socket or a pipe",
	"FORMAT_NEWER":        "a newer version of mkt wrote a file; nothing is wrong with it",
	"TRANSFORM_DIFFERS":   "transforming the raw cycle again does not give the canonical one",
	"PUBLICATION_DIFFERS": "publishing the canonical cycle again does not give the snapshot",
}

// Codes lists every code and what it means.
func Codes() map[string]string { return maps.Clone(codes) }
