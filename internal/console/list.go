package console

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/names"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// fixtureList is the fixtures of a publication, in the order of kick-off.
type fixtureList struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	rows     []fixtureRow
	leagues  []string
}

// fixtureRow is a fixture with its text for searches.
type fixtureRow struct {
	table.FixtureRow
	words string
}

// fixtureLists keeps the newest list of some datasets.
type fixtureLists struct {
	mu    sync.Mutex
	lists map[dataset.Dataset]*fixtureList
}

// list returns the fixtures of the newest publication; nil if there is none.
func (f *fixtureLists) list(d dataset.Dataset) (*fixtureList, error) {
	root, err := d.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	commit, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.lists[d]; l != nil && l.commit.SHA256 == commit.SHA256 {
		return l, nil
	}
	l := &fixtureList{commit: commit}
	if l.manifest, err = snapshot.Open(root, commit); err != nil {
		return nil, err
	}
	for row, err := range snapshot.VerifiedRows[table.FixtureRow](root, commit.Dir(), l.manifest, layout.FixturesFile) {
		if err != nil {
			return nil, err
		}
		l.add(*row)
	}
	slices.SortStableFunc(l.rows, func(a, b fixtureRow) int { return compareKnown(a.StartsAt, b.StartsAt, time.Time.Compare) })
	slices.Sort(l.leagues)
	l.leagues = slices.Compact(l.leagues)
	if f.lists == nil || len(f.lists) >= maxFixtureLists {
		f.lists = map[dataset.Dataset]*fixtureList{}
	}
	f.lists[d] = l
	return l, nil
}

func (l *fixtureList) add(row table.FixtureRow) {
	if row.League != nil {
		l.leagues = append(l.leagues, *row.League)
	}
	l.rows = append(l.rows, searched(row))
}

// searched adds to a fixture its text for searches.
func searched(row table.FixtureRow) fixtureRow {
	words := []string{row.FixtureID, row.ProviderFixtureID}
	for _, s := range []*string{row.Home, row.Away, row.League} {
		if s != nil {
			words = append(words, names.Fold(*s))
		}
	}
	return fixtureRow{row, strings.Join(words, "\n")}
}

// compareKnown compares two values; an unknown one comes last.
func compareKnown[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return compare(*a, *b)
}

// LeagueText returns the league for people.
func (r fixtureRow) LeagueText() string {
	if r.League == nil {
		return "–"
	}
	return cmp.Or(*r.League, "–")
}

// Name returns the teams.
func (r fixtureRow) Name() string { return history.FixtureName(&r.FixtureRow) }
