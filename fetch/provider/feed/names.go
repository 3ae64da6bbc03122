package feed

import (
	_ "embed"
	"errors"
	"regexp"
	"strings"

	"mkt/fetch/mapping"
)

// Prefix begins the name of every provider that is read from a feed; the name of its
// source follows: "feed:acme-odds". The whole is a part of every id.
const Prefix = "feed:"

// Simulated is the source of the reference server.
const Simulated = "simulated"

// IsSource reports whether a text has the form of a source's name.
var IsSource = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`).MatchString

var (
	isFixtureID = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,64}$`).MatchString
	isID        = regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,128}$`).MatchString
	isLabel     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`).MatchString
	isMetric    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`).MatchString
)

//go:embed feed_words.csv
var wordsCSV string

//go:embed claim_words.csv
var claimWordsCSV string

// words are those of labels, and table is without lines: an account has its own.
var words, table = mapping.Embedded("feed", mapping.Header, wordsCSV)

var claimWords, _ = mapping.Embedded("feed/claim", mapping.Header, claimWordsCSV)

// ParseTable reads an account's mapping table. Its lines match the id or the name of a
// market. An error names the line.
func ParseTable(text string) (*mapping.Table, error) {
	t, err := mapping.Parse("mapping", strings.TrimPrefix(text, "\ufeff"), words()) // as spreadsheets write it
	if err == nil && len(t.ByRow) > 0 {
		return nil, errors.New("lines of the kind row: want key, which is the id of a market, or name")
	}
	return t, err
}
