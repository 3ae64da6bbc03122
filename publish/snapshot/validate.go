package snapshot

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"mkt/publish/layout"
)

// Upper bounds of data read into memory.
const (
	maxManifest = 32 << 20
	maxCommit   = 64 << 10
	maxPointer  = 4 << 10
)

// decode reads one header. The error for any other bytes is [ErrDamaged].
func decode(what string, data []byte, v any) error {
	err := layout.DecodeHeader(what, data, Format, v)
	if err != nil && !errors.Is(err, layout.ErrNewer) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// ParseManifest reads manifest.json or canonical.json and validates it.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := decode("manifest", data, &m); err != nil {
		return Manifest{}, err
	}
	return m, m.Validate()
}

// ParseCommit reads a commit record and validates it.
func ParseCommit(data []byte) (Commit, error) {
	var c Commit
	if err := decode("commit record", data, &c); err != nil {
		return Commit{}, err
	}
	return c, c.Validate()
}

// ParsePointer reads CURRENT and validates it.
func ParsePointer(data []byte) (Pointer, error) {
	var p Pointer
	if err := decode("CURRENT", data, &p); err != nil {
		return Pointer{}, err
	}
	return p, check("CURRENT", []rule{
		{p.Format == Format, "format"},
		{p.Version > 0, "version"},
		{isSHA256(p.CommitSHA256), "commit_sha256"},
	})
}

// rule is a condition, and the field that breaks it.
type rule struct {
	holds bool
	field string
}

func check(what string, rules []rule) error {
	for _, r := range rules {
		if !r.holds {
			return fmt.Errorf("%s: %w: %s", what, ErrDamaged, r.field)
		}
	}
	return nil
}

// Validate checks the manifest by itself: it looks at no file.
func (m *Manifest) Validate() error {
	_, product, err := layout.ParseCycleID(string(m.CycleID))
	rules := []rule{
		{m.Format == Format, "format"},
		{m.Kind == KindSnapshot || m.Kind == KindCanonical, "kind"},
		{layout.ValidTenantID(m.ClientID), "client_id"},
		{err == nil && product == string(m.Product), "cycle_id"},
		{inOrder(m.ProviderFetchedAt, m.ProcessedAt) && inOrder(m.ProcessedAt, m.PublishedAt) && inOrder(m.ProviderFetchedAt, m.PublishedAt), "order of times"},
		{(m.Kind == KindSnapshot) == (m.PublishedAt != nil), "published_at"},
		{m.PreviousCycle < m.CycleID, "previous_cycle"},
		{m.RawSHA256 == "" || isSHA256(m.RawSHA256), "raw_sha256"},
		{m.FixturesRoot == "" || isSHA256(m.FixturesRoot), "fixtures_root"},
		{(m.PreviousCycle == "") == (m.PreviousDigest == ""), "previous_digest"},
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		plain := f.Name != "" && path.Base(f.Name) == f.Name && !strings.HasPrefix(f.Name, ".")
		rules = append(rules, rule{plain && !seen[f.Name], "files: name " + f.Name}, rule{f.Bytes >= 0 && isSHA256(f.SHA256), "files: " + f.Name})
		seen[f.Name] = true
	}
	for i := range m.Changes {
		s := &m.Changes[i]
		follows := i == 0 || s.First == m.Changes[i-1].Last+1
		rules = append(rules, rule{s.valid(layout.ChangesDir) && follows, "changes: " + s.File})
	}
	for i := range m.Steps {
		s := &m.Steps[i]
		follows := i == 0 || s.First > m.Steps[i-1].Last
		rules = append(rules, rule{s.valid(layout.StepsDir) && follows, "steps: " + s.File})
	}
	return check(string(m.Kind)+" manifest", rules)
}

// inOrder reports whether b is not before a, if both are known.
func inOrder(a, b *time.Time) bool { return a == nil || b == nil || !b.Before(*a) }

func (s *Segment) valid(dir string) bool {
	name, ok := strings.CutPrefix(s.File, dir+"/")
	return ok && path.Base(name) == name && s.First > 0 && s.First <= s.Last && s.Last < 1<<63 && s.Bytes > 0 && isSHA256(s.SHA256)
}

// Validate checks the commit by itself: it looks at no file.
func (c *Commit) Validate() error {
	_, _, err := layout.ParseCycleID(string(c.CycleID))
	window := c.FirstSeq > 0 && c.FirstSeq <= c.LastSeq+1 && c.LastSeq < 1<<63
	return check("commit record", []rule{
		{c.Format == Format, "format"},
		{c.Version > 0, "version"},
		{c.HistoryID != "", "history_id"},
		{c.RunID != "", "run_id"},
		{err == nil, "cycle_id"},
		{!c.PublishedAt.IsZero(), "published_at"},
		{isSHA256(c.ManifestSHA256), "manifest_sha256"},
		{window, "first_seq and last_seq"},
		{c.Segment == nil || c.Segment.valid(layout.ChangesDir) && c.Segment.Last == c.LastSeq, "segment"},
		{c.Republishes < c.Version, "republishes"},
		{c.CanonicalSHA256 == "" || isSHA256(c.CanonicalSHA256), "canonical_sha256"},
		{c.RawSHA256 == "" || isSHA256(c.RawSHA256), "raw_sha256"},
		{c.FixturesRoot == "" || isSHA256(c.FixturesRoot), "fixtures_root"},
		{isSHA256(c.PreviousSHA256) || c.Version == 1 && c.PreviousSHA256 == "", "previous_sha256"},
	})
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
