package api

import "strings"

// Patterns of ids, as in /schema. An id from a client must be checked before it is
// looked up.
const (
	FixtureIDPattern   = `^fx_[a-z2-7]{26}$`
	MarketIDPattern    = `^mk_[a-z2-7]{26}(~[a-z2-7]{8})?$`
	SelectionIDPattern = `^sl_[a-z2-7]{26}$`
)

const idLetters = 26

// IsFixtureID reports whether s has the form of a fixture id.
func IsFixtureID(s string) bool {
	rest, ok := strings.CutPrefix(s, "fx_")
	return ok && len(rest) == idLetters && isBase32(rest)
}

// IsMarketID reports whether s has the form of a market id.
func IsMarketID(s string) bool {
	rest, ok := strings.CutPrefix(s, "mk_")
	if !ok {
		return false
	}
	id, suffix, suffixed := strings.Cut(rest, "~")
	return len(id) == idLetters && isBase32(id) && (!suffixed || len(suffix) == 8 && isBase32(suffix))
}

func isBase32(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '2' && c <= '7') {
			return false
		}
	}
	return true
}

// IsName reports whether s has the form of a canonical name or period: 1 to 64 upper-case
// letters, digits, "_" and "-".
func IsName(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
