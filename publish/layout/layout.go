// Package layout names the folders and files of the data root, and parses the names. It does no
// I/O and imports nothing of this module.
//
// Below the data root, each tenant's product has one root (Hive-style, so that any
// Parquet engine sees the columns):
//
//	client_id=<id>/product=<product>/
//	  raw/cycle=<cycle>/          every provider response; cycle.json last
//	  raw/from=<minute>.tar.zst   ten minutes of old ones, compacted
//	  canonical/cycle=<cycle>/    transform's output; canonical.json last
//	  snapshots/cycle=<cycle>/    the data for serve; manifest.json last
//	  changes/<first>-<last>-<cycle>.parquet
//	  steps/<first>-<last>-<cycle>.parquet    movements of prices, market engine only
//	  commits/<20 digits>.json    the commit records
//	  commits/<first>-<last>.tar.zst   256 old ones, compacted
//	  CURRENT                     pointer to the newest commit
//	  COLLECTED                   the deletions of retention, recorded before they are made
//	  FIRST                       only in a copy of an object store: its oldest commit record
//	  state/*.json                each has one writer (packages health and payloads)
//	  staging/<run>/              disposable
//	  lock                        never unlinked
//
// Files of the account and of none of its products are in client_id=<id>/state/*.json and
// client_id=<id>/lock.
//
// Source: DESIGN, section 2.
package layout

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// File and folder names inside a tenant-and-product root. Slash-separated,
// relative.
const (
	RawDir        = "raw"
	CanonicalDir  = "canonical"
	SnapshotsDir  = "snapshots"
	ChangesDir    = "changes"
	StepsDir      = "steps"
	CommitsDir    = "commits"
	StagingDir    = "staging"
	StateDir      = "state"
	QuarantineDir = "staging/aside" // files replaced by a publication or a repair
	GoneDir       = "staging/gone"  // being deleted
	Current       = "CURRENT"
	Collected     = "COLLECTED" // the record of retention's deletions
	First         = "FIRST"     // the oldest commit record of a root, if an object store has older ones
	Lock          = "lock"

	RawCycleFile  = "cycle.json"      // header of a raw cycle, written last
	RawFetchFile  = "fetch.json"      // the requests, one entry per response
	RawAnswers    = "answers.tar.zst" // the bodies of all responses
	CanonicalFile = "canonical.json"  // header of a canonical cycle, written last
	ManifestFile  = "manifest.json"   // header of a snapshot, written last

	FixturesFile = "fixtures.parquet"
	MarketsFile  = "markets.parquet"
	ListingFile  = "listing.parquet" // canonical only: the content of the provider's listing

	LiveFile         = "live.parquet"
	LiveCountersFile = "live_counters.parquet"
	LiveTimelineFile = "live_timeline.parquet" // this and the next two: of the detail set
	LiveBucketsFile  = "live_buckets.parquet"
	LivePeriodsFile  = "live_periods.parquet"
	LiveStatesFile   = "live_states.parquet" // canonical only: the input of the next cycle
)

// IDKeyFingerprintFile, at the data root, records the id key of all ids in the data.
const IDKeyFingerprintFile = "id-key.fingerprint"

var fingerprintPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ParseIDKeyFingerprint reads the content of [IDKeyFingerprintFile], "" if it is none, as after a disk lost
// what was written.
func ParseIDKeyFingerprint(data []byte) string {
	fingerprint := strings.TrimSpace(string(data))
	if !fingerprintPattern.MatchString(fingerprint) {
		return ""
	}
	return fingerprint
}

// ErrNewer: a newer version of mkt wrote a file of the data root, in a format unknown to this
// one. The file is not damaged.
var ErrNewer = errors.New("written by a newer version of mkt: use that version, or a later one; nothing is damaged")

// CycleID identifies one processing cycle by UTC second and product,
// "20261120T090700Z-market_engine". As text it sorts by time.
type CycleID string

const cycleTime = "20060102T150405Z"

var cyclePattern = regexp.MustCompile(`^(\d{8}T\d{6}Z)-([a-z_]+)$`)

// NewCycleID returns the id of the cycle of product that starts at t, in whole seconds.
func NewCycleID(t time.Time, product string) CycleID {
	return CycleID(t.UTC().Format(cycleTime) + "-" + product)
}

// ParseCycleID splits a cycle id into its time and product.
func ParseCycleID(s string) (time.Time, string, error) {
	m := cyclePattern.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, "", fmt.Errorf("cycle id %q: want a form like 20261120T090700Z-market_engine", s)
	}
	t, err := time.Parse(cycleTime, m[1])
	if err != nil {
		return time.Time{}, "", fmt.Errorf("cycle id %q: %w", s, err)
	}
	return t, m[2], nil
}

// Tenant is the folder of one tenant below the data root.
func Tenant(clientID string) string { return "client_id=" + clientID }

// TenantProduct is the folder of one tenant's product below the data root.
func TenantProduct(clientID, product string) string {
	return Tenant(clientID) + "/product=" + product
}

// Cycle is the folder of a cycle below one of [RawDir], [CanonicalDir], [SnapshotsDir].
func Cycle(dir string, c CycleID) string { return dir + "/cycle=" + string(c) }

// ParseCycleDir parses the cycle id from a folder's base name, "cycle=…".
func ParseCycleDir(base string) (CycleID, bool) {
	s, ok := strings.CutPrefix(base, "cycle=")
	if !ok || !cyclePattern.MatchString(s) {
		return "", false
	}
	return CycleID(s), true
}

const hourForm = "20060102T15"

// HourOf is the hour in which a cycle began, "20261120T09"; "" for an invalid id.
func HourOf(c CycleID) string {
	if !cyclePattern.MatchString(string(c)) {
		return ""
	}
	return string(c[:len(hourForm)])
}

// TimeOf returns the time in a cycle id, zero for an invalid one.
func TimeOf(c CycleID) time.Time {
	at, _, _ := ParseCycleID(string(c))
	return at
}

// Slot is the number of the period in which a cycle begins; all periods have the given length.
// Each account's periods begin at another time, so that work once per period is not done for all
// accounts at once.
func Slot(c CycleID, clientID string, length time.Duration) int64 {
	at, _, err := ParseCycleID(string(c))
	if err != nil {
		return -1 // invalid id
	}
	h := fnv.New32a()
	h.Write([]byte(clientID))
	seconds := int64(length / time.Second)
	return (at.Unix() + int64(h.Sum32())%seconds) / seconds
}

// [RawPackSpan] is the time covered by a [RawPack]. To find one cycle in a pack, everything
// before it must be unpacked.
const (
	RawPackSpan = 10 * time.Minute
	rawPackForm = "20060102T1504"
)

// RawPack is the file into which a raw cycle is compacted, together with all cycles of the same
// ten minutes; "" for an invalid id.
func RawPack(c CycleID) string {
	if !cyclePattern.MatchString(string(c)) {
		return ""
	}
	return RawDir + "/from=" + string(c[:len(rawPackForm)-1]) + "0.tar.zst"
}

// ParseRawPack parses the end of the covered time from the base name of a [RawPack].
func ParseRawPack(base string) (until time.Time, ok bool) {
	s, ok := strings.CutPrefix(base, "from=")
	s, zst := strings.CutSuffix(s, ".tar.zst")
	if !ok || !zst {
		return time.Time{}, false
	}
	t, err := time.Parse(rawPackForm, s)
	return t.Add(RawPackSpan), err == nil
}

// Commit is the path of commit record n (from 1).
func Commit(n uint64) string { return fmt.Sprintf("%s/%020d.json", CommitsDir, n) }

// PackedCommits is the number of commit records compacted into one file.
const PackedCommits = 256

// CommitPack is the file into which commit record n is compacted. first and last are the numbers
// of the first and the last record in it.
func CommitPack(n uint64) (name string, first, last uint64) {
	first = (n-1)/PackedCommits*PackedCommits + 1
	last = first + PackedCommits - 1
	return fmt.Sprintf("%s/%020d-%020d.tar.zst", CommitsDir, first, last), first, last
}

// ParseCommit parses the number from a commit record's base name.
func ParseCommit(base string) (uint64, bool) {
	s, ok := strings.CutSuffix(base, ".json")
	if !ok || len(s) != 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && n > 0
}

// ParseCommitPack parses the last record's number from the base name of a [CommitPack].
func ParseCommitPack(base string) (last uint64, ok bool) {
	s, ok := strings.CutSuffix(base, ".tar.zst")
	if !ok || len(s) != 41 || s[20] != '-' {
		return 0, false
	}
	first, errFirst := strconv.ParseUint(s[:20], 10, 64)
	last, errLast := strconv.ParseUint(s[21:], 10, 64)
	return last, errFirst == nil && errLast == nil && last == first+PackedCommits-1 && last%PackedCommits == 0
}

// Segment is the path of a segment of the change log or of the steps: dir is [ChangesDir] or
// [StepsDir]. It belongs to the events first..last, and c is the cycle that wrote it.
func Segment(dir string, first, last uint64, c CycleID) string {
	return fmt.Sprintf("%s/%020d-%020d-%s.parquet", dir, first, last, c)
}

// ParseSegment parses the range of events from the base name of a [Segment].
func ParseSegment(base string) (first, last uint64, ok bool) {
	if len(base) < 42 || base[20] != '-' || base[41] != '-' || !strings.HasSuffix(base, ".parquet") {
		return 0, 0, false
	}
	first, errFirst := strconv.ParseUint(base[:20], 10, 64)
	last, errLast := strconv.ParseUint(base[21:41], 10, 64)
	return first, last, errFirst == nil && errLast == nil && first > 0 && first <= last
}

// CycleOfSegment is the cycle that wrote a [Segment].
func CycleOfSegment(name string) (CycleID, bool) {
	base := path.Base(name)
	if _, _, ok := ParseSegment(base); !ok {
		return "", false
	}
	c := CycleID(strings.TrimSuffix(base[42:], ".parquet"))
	return c, cyclePattern.MatchString(string(c))
}

var tenantPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ValidTenantID reports whether id may name an account: 1 to 63 of a-z, 0-9, "_"
// and "-", beginning with a letter or digit. It is a folder name.
func ValidTenantID(id string) bool { return tenantPattern.MatchString(id) }
