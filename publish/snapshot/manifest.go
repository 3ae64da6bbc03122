package snapshot

import (
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// Format is the version of manifest.json and of the commit records.
//
//	1: first
const Format = 1

// Kind is the kind of a manifest's folder.
type Kind string

const (
	KindSnapshot  Kind = "snapshot"
	KindCanonical Kind = "canonical"
)

// Manifest is the header of a snapshot, manifest.json, or of a canonical cycle, canonical.json,
// which has no change log. It lists the content of the folder and its sources.
type Manifest struct {
	Format            int              `json:"format"`
	Kind              Kind             `json:"kind"`
	ClientID          string           `json:"client_id"`
	Product           football.Product `json:"product"`
	CycleID           layout.CycleID   `json:"cycle_id"`
	Provider          string           `json:"provider"`
	Bookmaker         string           `json:"bookmaker,omitempty"` // whose prices the cycle has; "" if not recorded
	ProviderFetchedAt *time.Time       `json:"provider_fetched_at"`
	ProcessedAt       *time.Time       `json:"processed_at"`
	PublishedAt       *time.Time       `json:"published_at,omitempty"`
	DerivationVersion string           `json:"derivation_version"`
	IDKeyFingerprint  string           `json:"id_key_fingerprint"`
	BinaryVersion     string           `json:"binary_version"` // of the first run that wrote it

	// PreviousManifestSHA256 chains the snapshots: the hash of the manifest before.
	PreviousManifestSHA256 string `json:"previous_manifest_sha256,omitempty"`
	// PreviousCycle is the canonical cycle whose states this one continues, and PreviousDigest is
	// their digest. Canonical cycles of the live product only.
	PreviousCycle  layout.CycleID `json:"previous_cycle,omitempty"`
	PreviousDigest string         `json:"previous_digest,omitempty"`
	// PreviousUnpublished reports that PreviousCycle was not published when this one was made, so that
	// nobody has seen what only its timelines had.
	PreviousUnpublished bool `json:"previous_unpublished,omitempty"`
	// RawSHA256 is the hash of the cycle.json from which a canonical cycle was made; "" if an
	// older version made it.
	RawSHA256 string `json:"raw_sha256,omitempty"`
	// CanonicalSHA256 is the hash of the canonical.json from which a snapshot was made.
	CanonicalSHA256 string `json:"canonical_sha256,omitempty"`

	Files  []File           `json:"files"`
	Tables map[string]Table `json:"tables"`

	ListingComplete bool             `json:"listing_complete"`
	Filtered        map[string]int   `json:"filtered,omitempty"`        // fixtures left out, by rule
	Broken          map[string]int   `json:"broken,omitempty"`          // unreadable records, by reason
	Damaged         map[string]int   `json:"damaged,omitempty"`         // parts of records that were marked or left out, by part and fault
	UnknownFields   map[string]int   `json:"unknown_fields,omitempty"`  // fields unknown to every reader
	RawMarkets      map[string]int   `json:"raw_markets,omitempty"`     // by reason
	NotPublishable  map[string]int   `json:"not_publishable,omitempty"` // selections by reason
	Counters        map[string]int64 `json:"counters,omitempty"`

	// AcceptRemovals: a person accepted all removals by the listing. Manifests from before this
	// field do not record it.
	AcceptRemovals bool `json:"accept_removals,omitempty"`

	// Losses are the fixtures that listings of the last day lacked before their kick-off, and that were removed; none since a
	// person accepted all removals, nor in publications of builds before it.
	Losses []Loss `json:"losses,omitempty"`

	// Changes are the retained segments of the change log, oldest first.
	Changes []Segment `json:"changes,omitempty"`
	// Steps are the retained segments of the steps, oldest first; none in publications of builds
	// before steps. Counters has the rows of the newest one under "steps".
	Steps []Segment `json:"steps,omitempty"`

	// FixturesRoot commits to every fixture by itself, see [FixturesRoot]; "" in publications of
	// builds before it. A canonical cycle of the live product has that of its publication.
	FixturesRoot string `json:"fixtures_root,omitempty"`

	// ShortTimes: an earlier build wrote this header with [layout.EncodeShortTimes]. It is for a
	// header that must get the very bytes again.
	ShortTimes bool `json:"-"`
}

// HasShortTimes reports whether a header with this hash has ShortTimes.
func (m Manifest) HasShortTimes(sum string) bool {
	data, err := layout.EncodeShortTimes(m)
	return err == nil && durable.Hash(data) == sum
}

// Only returns a manifest of the files with some names.
func (m *Manifest) Only(names ...string) Manifest {
	var only Manifest
	for _, file := range m.Files {
		if slices.Contains(names, file.Name) {
			only.Files = append(only.Files, file)
		}
	}
	return only
}

// Loss is what the listing of one cycle lost.
type Loss struct {
	At       time.Time `json:"at"` // processed_at of the cycle
	Fixtures int       `json:"fixtures"`
	Of       int       `json:"of"` // fixtures of the dataset before
}

// File is one file of the folder.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Table describes the rows of one table, and Counts the states of one column. The table's writer
// counted them.
type (
	Table  = table.Summary
	Counts = table.Counts
)

// Segments are the files of the change log and of the steps.
func (m *Manifest) Segments() []Segment { return slices.Concat(m.Changes, m.Steps) }

// Segment is one file of the change log, contiguous in seq, or of the steps of these events. The
// first one of the steps begins with the state at the event before. A cycle without events or
// steps has none.
type Segment struct {
	File   string    `json:"file"` // relative to the tenant-and-product root
	First  uint64    `json:"first_seq"`
	Last   uint64    `json:"last_seq"`
	At     time.Time `json:"published_at"` // of its newest event
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
	Cycles int       `json:"cycles,omitempty"` // number of compacted cycles; 0 means one cycle, not compacted
	Since  time.Time `json:"since,omitzero"`   // of its oldest steps, if they are compacted
}

// Begins is the time at which the oldest row of a segment of steps was published.
func (s *Segment) Begins() time.Time {
	if s.Since.IsZero() {
		return s.At
	}
	return s.Since
}

// Commit is the commit record: its exclusive creation is the publication.
type Commit struct {
	Format         int            `json:"format"`
	Version        uint64         `json:"version"` // the record's number, from 1, gapless
	HistoryID      string         `json:"history_id"`
	RunID          string         `json:"run_id"`
	CycleID        layout.CycleID `json:"cycle_id"`
	PublishedAt    time.Time      `json:"published_at"`
	ManifestSHA256 string         `json:"manifest_sha256"`
	Segment        *Segment       `json:"segment"`         // nil if the cycle had no events
	FirstSeq       uint64         `json:"first_seq"`       // of the retained window; LastSeq+1 if it is empty
	LastSeq        uint64         `json:"last_seq"`        // newest seq assigned so far; 0 if none
	PreviousSHA256 string         `json:"previous_sha256"` // of the previous commit record; "" for the first

	// CanonicalSHA256 and RawSHA256 are the hashes of canonical.json and of the cycle.json from
	// which it was made. Records outlive snapshots, and prove data kept for longer. "" if an
	// older version published.
	CanonicalSHA256 string `json:"canonical_sha256,omitempty"`
	RawSHA256       string `json:"raw_sha256,omitempty"`

	// FixturesRoot is that of the manifest, so that a receipt of one fixture needs no manifest.
	FixturesRoot string `json:"fixtures_root,omitempty"`

	// Republishes is the version whose dataset this one repeats at the beginning of a new
	// history, without a cycle; otherwise 0.
	Republishes uint64 `json:"republishes,omitempty"`

	// SHA256 of the record as it is stored; set when it is read or written.
	SHA256 string `json:"-"`
}

// Dir is the folder of the snapshot the record commits, relative to the root.
func (c Commit) Dir() string { return layout.Cycle(layout.SnapshotsDir, c.CycleID) }

// Window is the retained part of the change log.
func (c Commit) Window() Window { return Window{First: c.FirstSeq, Last: c.LastSeq} }

// Window is a range of seq. It is empty if First is Last + 1. A reader at a position before First
// - 1 has missed events.
type Window struct{ First, Last uint64 }

// Pointer is the content of CURRENT, where readers start. It may lag behind, be missing or
// damaged, since it only speeds up finding the newest commit.
type Pointer struct {
	Format       int    `json:"format"`
	Version      uint64 `json:"version"`
	CommitSHA256 string `json:"commit_sha256"`
}
