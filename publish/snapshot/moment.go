package snapshot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mkt/internal/timetext"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Moment identifies a publication of an account by a count back from the newest, a cycle,
// a version, or a time. [ParseMoment] makes it.
type Moment struct {
	text    string
	back    uint64
	cycle   layout.CycleID // without its product if none was given
	version uint64
	at      time.Time
}

// Newest is the newest publication, "latest".
var Newest = Moment{text: latest}

const latest = "latest"

// At is the newest publication at a time.
func At(t time.Time) Moment { return Moment{text: t.UTC().Format(time.RFC3339Nano), at: t.UTC()} }

// Numbered is the publication with a version, which is at least 1.
func Numbered(version uint64) Moment {
	return Moment{text: "v" + strconv.FormatUint(version, 10), version: version}
}

// Time is the time of the moment; false if it is of another kind.
func (m Moment) Time() (time.Time, bool) { return m.at, !m.at.IsZero() }

// IsCycle reports whether the moment is a cycle, which several accounts may have in common.
func (m Moment) IsCycle() bool { return m.cycle != "" }

// String is the parsed text.
func (m Moment) String() string { return m.text }

// Forms lists the forms for [ParseMoment], for flags and messages.
const Forms = "latest~2, v17, a cycle id, " + timetext.Forms

// ParseMoment parses these forms:
//
//	latest, latest~2                the newest publication, the second before it
//	20261121T140312Z-market_engine  the one of that cycle; the product may be left out
//	v17                             the seventeenth
//	2026-11-21T14:05:00Z, "5m ago"  the newest at that time, which [timetext.Past] parses
//
// The text of a moment is the whole time in UTC, unless it was given with date and zone. If now is
// zero, words and times of day are refused.
func ParseMoment(text string, now time.Time) (Moment, error) {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	m := Moment{text: lower}
	if lower == latest {
		return m, nil
	}
	if n, ok := strings.CutPrefix(lower, latest+"~"); ok {
		back, err := strconv.ParseUint(n, 10, 63)
		m.back = back
		return m, withForms(text, err)
	}
	if n, ok := strings.CutPrefix(lower, "v"); ok {
		version, err := strconv.ParseUint(n, 10, 63)
		if err == nil && version == 0 {
			err = errors.New("versions count from 1")
		}
		m.version = version
		return m, withForms(text, err)
	}
	m.text = text
	if _, _, err := layout.ParseCycleID(text); err == nil {
		m.cycle = layout.CycleID(text)
		return m, nil
	}
	if id := text + "-x"; strings.HasSuffix(text, "Z") {
		if _, _, err := layout.ParseCycleID(id); err == nil {
			m.cycle = layout.CycleID(text)
			return m, nil
		}
	}
	at, exact, err := timetext.Past.Parse(text, now)
	if err != nil {
		return Moment{}, withForms(text, err)
	}
	if !exact {
		return At(at), nil
	}
	m.at = at
	return m, nil
}

func withForms(text string, err error) error {
	if err == nil {
		return nil
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		err = errors.New("unknown form")
	}
	return fmt.Errorf("%q: %w; want %s", text, err, Forms)
}

// [ErrUnknown]: the moment identifies no publication. [ErrNothing], too: there is none at all.
var (
	ErrUnknown = errors.New("no such publication")
	ErrNothing = errors.New("nothing was published yet")
)

// Find finds the publication of a moment. Its snapshot may have been deleted, see [IsKept].
// If there is none, the error is [ErrUnknown] and names the nearest ones.
func Find(f durable.ReadFS, m Moment) (Commit, error) {
	head, found, err := Head(f)
	if err != nil {
		return Commit{}, err
	}
	if !found {
		return Commit{}, fmt.Errorf("%s: %w: %w", m, ErrUnknown, ErrNothing)
	}
	switch {
	case m.version > 0 && m.version <= head.Version:
		return ReadCommit(f, m.version)
	case m.version > 0:
		return Commit{}, fmt.Errorf("%s: %w: the newest is %s", m, ErrUnknown, near(head))
	case m.cycle != "":
		return findCycle(f, m, head)
	case !m.at.IsZero():
		return findAt(f, m, head)
	case m.back >= head.Version:
		return Commit{}, fmt.Errorf("%s: %w: there are %d, the newest is %s", m, ErrUnknown, head.Version, near(head))
	case m.back > 0:
		return ReadCommit(f, head.Version-m.back)
	}
	return head, nil
}

// near describes a publication in the error about another.
func near(c Commit) string {
	return fmt.Sprintf("v%d, %s, published %s", c.Version, c.CycleID, c.PublishedAt.UTC().Format(time.RFC3339))
}

func findCycle(f durable.ReadFS, m Moment, head Commit) (Commit, error) {
	before, after, err := Search(f, head, func(c Commit) bool { return c.CycleID > m.cycle && !m.names(c) })
	switch {
	case err != nil:
		return Commit{}, err
	case before.Version > 0 && m.names(before):
		return before, nil
	}
	return Commit{}, fmt.Errorf("%s: %w: %s", m, ErrUnknown, neighbours(before, after))
}

// names reports whether the publication is of the moment's cycle.
func (m Moment) names(c Commit) bool {
	return c.CycleID == m.cycle || strings.HasPrefix(string(c.CycleID), string(m.cycle)+"-")
}

func findAt(f durable.ReadFS, m Moment, head Commit) (Commit, error) {
	before, after, err := Search(f, head, func(c Commit) bool { return c.PublishedAt.After(m.at) })
	if err != nil || before.Version > 0 {
		return before, err
	}
	return Commit{}, fmt.Errorf("%s: %w: %s", m, ErrUnknown, neighbours(before, after))
}

func neighbours(before, after Commit) string {
	switch {
	case before.Version == 0:
		return "the first is " + near(after)
	case after.Version == 0:
		return "the newest is " + near(before)
	}
	return "the nearest are " + near(before) + " and " + near(after)
}

// Resolve is [ParseMoment] without a time of day, then [Find].
func Resolve(f durable.ReadFS, text string) (Commit, error) {
	m, err := ParseMoment(text, time.Time{})
	if err != nil {
		return Commit{}, err
	}
	return Find(f, m)
}

// IsKept reports whether the snapshot of a publication still exists: its record is kept for ever,
// its data as long as the retention says. Retention deletes the whole folder, so a folder without
// a manifest is [ErrDamaged].
func IsKept(f durable.ReadFS, c Commit) (bool, error) {
	manifest := c.Dir() + "/" + layout.ManifestFile
	if there, err := durable.Exists(f, manifest); err != nil || there {
		return there, err
	}
	if folder, err := durable.Exists(f, c.Dir()); err != nil || !folder {
		return false, err
	}
	return false, fmt.Errorf("%s: %w: it is missing", manifest, ErrDamaged)
}

// OldestKept returns the oldest publication up to head whose snapshot is kept. It may be a damaged one. If a
// record is damaged, it is head.
func OldestKept(f durable.ReadFS, head Commit) Commit {
	_, oldest, err := Search(f, head, func(c Commit) bool {
		kept, err := IsKept(f, c)
		return kept || err != nil
	})
	if err != nil {
		return head
	}
	return oldest
}
