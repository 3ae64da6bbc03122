package frame

import (
	"net/http"
	"slices"
)

// CompareKnown compares two values; an unknown one comes last.
func CompareKnown[T any](a, b *T, compare func(a, b T) int) int {
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

// Stars are the fixtures, by their ids, and the leagues, by their names, that a reader keeps on top of lists. The browser keeps
// them, and its script sends them.
type Stars []string

// StarsOf reads the stars of a request: as many as static/console.js keeps.
func StarsOf(r *http.Request) Stars {
	all := r.URL.Query()["top"]
	return all[:min(len(all), 60)]
}

// Place returns 0 for a starred fixture, 1 for one of a starred league, and 2 for another.
func (s Stars) Place(fixture string, league *string) int {
	switch {
	case slices.Contains(s, fixture):
		return 0
	case league != nil && slices.Contains(s, *league):
		return 1
	}
	return 2
}
