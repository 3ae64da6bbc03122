package football

import (
	"strconv"
	"strings"
	"time"
)

// Patterns of ids, as in /schema. An id that comes from outside must be checked before it is looked up or shown.
const (
	FixtureIDPattern   = `^fx_[a-z2-7]{26}$`
	MarketIDPattern    = `^mk_[a-z2-7]{26}(~[a-z2-7]{8})?$`
	SelectionIDPattern = `^sl_[a-z2-7]{26}$`
)

// IsFixtureID reports whether s has the form of a fixture id.
func IsFixtureID(s string) bool { return isID(s, "fx_") }

// IsMarketID reports whether s has the form of a market id.
func IsMarketID(s string) bool {
	id, suffix, suffixed := strings.Cut(s, "~")
	return isID(id, "mk_") && (!suffixed || len(suffix) == 8 && isBase32(suffix))
}

// IsSelectionID reports whether s has the form of a selection id.
func IsSelectionID(s string) bool { return isID(s, "sl_") }

func isID(s, prefix string) bool {
	letters, ok := strings.CutPrefix(s, prefix)
	return ok && len(letters) == 26 && isBase32(letters)
}

func isBase32(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '2' && c <= '7') {
			return false
		}
	}
	return true
}

// AppendEntry completes the id of an entry of a timeline, such as en_c2k9q4r7m1-1f, by a number that no
// other entry of the match has. What it appends to tells the match.
func AppendEntry(match []byte, number int32) []byte {
	return strconv.AppendInt(append(match, '-'), int64(number), 36)
}

// AppendStaleEntry is like AppendEntry, for the entry that says that from a time on nothing new is known.
// Its id follows from the time, so that whoever notices it first gives the same one.
func AppendStaleEntry(match []byte, at time.Time) []byte {
	return strconv.AppendInt(append(match, "-s"...), at.UnixMilli(), 36)
}

// MatchOfEntry returns what the ids of all entries of a match begin with, from one of them.
func MatchOfEntry(id string) string {
	match, _, _ := strings.Cut(id, "-")
	return match
}
