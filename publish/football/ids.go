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

// EntryID returns the id of an entry of a timeline: that of the match's entries, such as
// en_0c2k9q4r7m1ab, and a number that no other entry of the match has.
func EntryID(match string, number int) string {
	return match + "-" + strconv.FormatInt(int64(number), 36)
}

// StaleEntryID returns the id of the entry that says that from a time on nothing new is known. It follows
// from the time, so that whoever notices it first gives the same id.
func StaleEntryID(match string, at time.Time) string {
	return match + "-s" + strconv.FormatInt(at.UnixMilli(), 36)
}

// MatchOfEntry returns what the ids of a match's entries begin with, from one of them.
func MatchOfEntry(id string) string {
	match, _, _ := strings.Cut(id, "-")
	return match
}
