package football_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/publish/football"
)

var update = flag.Bool("update", false, "write docs/vocabulary.md anew")

// TestVocabularyPage compares the table in docs/vocabulary.md with the vocabulary.
func TestVocabularyPage(t *testing.T) {
	const page, begin, end = "../../docs/vocabulary.md", "<!-- vocabulary: begin -->\n", "<!-- vocabulary: end -->"
	old, err := os.ReadFile(page)
	check.Must(t, err)
	before, rest, found := strings.Cut(string(old), begin)
	_, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatalf("%s: no place for the table", page)
	}
	now := before + begin + "\n" + vocabularyTable() + "\n" + end + after
	switch {
	case now == string(old):
	case !*update:
		t.Errorf("%s is not what the vocabulary says: go test ./publish/football -update", page)
	default:
		check.Must(t, os.WriteFile(page, []byte(now), 0o644))
	}
}

func vocabularyTable() string {
	var b strings.Builder
	fmt.Fprint(&b, "|market|meaning|periods|line|selections|subject|dimension|table|\n|-|-|-|-|-|-|-|-|\n")
	for _, term := range football.Vocabulary() {
		grid, line, subject := "", "", ""
		if term.Grid {
			grid = strings.ReplaceAll(term.Row+" × "+term.Column, "|", "/")
		}
		if term.Line != "NONE" {
			line = codes(strings.Split(string(term.Line), "+"), " and ")
		}
		if term.Subject != "MATCH" {
			subject = codes(strings.Split(term.Subject, "|"), " ")
		}
		fmt.Fprintf(&b, "|`%s`|%s|%s|%s|%s|%s|`%s`|%s|\n", term.Canonical, strings.ReplaceAll(term.Meaning, "|", "\\|"), codes(term.Periods, " "),
			line, codes(strings.Split(term.Selections, "|"), " "), subject, term.Dimension, grid)
	}
	return b.String()
}

// codes writes each word as code.
func codes(words []string, between string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + strings.Trim(w, `"`) + "`"
	}
	return strings.Join(quoted, between)
}
