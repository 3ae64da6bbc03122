package api

import "strings"

// Shapes of ids, as /schema gives them. Check the shape of what a client sends
// before any look-up.
const (
	FixtureIDPattern   = `^fx_[a-z2-7]{26}$`
	MarketIDPattern    = `^mk_[a-z2-7]{26}(~[a-z2-7]{8})?$`
	SelectionIDPattern = `^sl_[a-z2-7]{26}$`
)

const idLetters = 26

// IsFixtureID tells whether s has the shape of a fixture id.
func IsFixtureID(s string) bool {
	rest, ok := strings.CutPrefix(s, "fx_")
	return ok && len(rest) == idLetters && isBase32(rest)
}

// IsMarketID tells whether s has the shape of a market id.
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

// IsName tells whether s has the shape of a canonical name or period: at most 64
// of upper-case letters, digits, "_" and "-".
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
