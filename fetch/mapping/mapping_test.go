package mapping_test

import (
	"strings"
	"testing"

	"mkt/fetch/mapping"
)

// TestFind: a line is found by all that it is called, by the canonical market as the
// vocabulary writes it, and otherwise by a part of its name.
func TestFind(t *testing.T) {
	const table = `# The comment at the head is no name.
` + mapping.Header + `
# 6 Asian Handicap
key,6,6,6,,ASIAN_HANDICAP,FT,,,1,own-side|repeats,,
key,7,Goals Over/Under,7|70,,TOTAL_GOALS,FT,,,1,,,
# 8 is a comment about nothing: the line is a row.
row,To Win,9:to_win,,,,,,,,,,NEVER_MAPPED
key,h2h,h2h,,,MATCH_RESULT,FT,,,1,,,
`
	m, err := mapping.Parse("test/a.csv", table, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"6": "6 exact", "Asian Handicap": "6 exact", "asian_handicap": "6 exact", "ASIAN_HANDICAP": "6 exact", "test/a.csv:6": "6 exact",
		"70": "7 exact", "goals over/under": "7 exact", "to win": "To Win exact", "H2H": "h2h exact",
		"handicap": "6", "result": "h2h", "o": "7 To Win", "": "", "MATCH_RESUL": "h2h", "HALF_TIME_FULL_TIME": "", "nothing": "",
	} {
		found, exact := m.Find(text)
		var got []string
		for _, l := range found {
			got = append(got, l.Match)
		}
		if exact {
			got = append(got, "exact")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if l := m.Lines()[0]; l.Name != "Asian Handicap" || l.Rule != "test/a.csv:6" || m.Rule(l.Rule) != l.Text || !strings.HasPrefix(l.Text, "key,6,6,") {
		t.Errorf("%+v", l)
	}
	if names := mapping.ShapeNames(m.Lines()[0].Entry.Reading.Shape); strings.Join(names, " ") != "own-side repeats" {
		t.Errorf("%q", names)
	}
	if _, err := mapping.Parse("test", mapping.Header+"\nkey,\"a\nb\",a,,,,,,,,,,NEVER_MAPPED\n", nil); err == nil {
		t.Error("a line break inside a line: accepted")
	}
}

func TestParseRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"kind":      "word,a,a,,,MATCH_RESULT,FT,,,1,,,",
		"twice":     "key,a,a,,,,,,,,,,NEVER_MAPPED\nkey,a,a,,,,,,,,,,NEVER_MAPPED",
		"rank":      "key,a,a,,,MATCH_RESULT,FT,,,0,,,",
		"shape":     "key,a,a,,,MATCH_RESULT,FT,,,1,round,,",
		"proof":     "key,a,a,,id,MATCH_RESULT,FT,,,1,,,",
		"no reason": "key,a,a,,,,,,,,,,",
		"columns":   "key,a",
	} {
		if _, err := mapping.Parse("test", mapping.Header+"\n"+line+"\n", nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := mapping.Parse("test", "key,a\n", nil); err == nil {
		t.Error("no header: accepted")
	}
}

func TestParseDialectRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no header":    "yes-no,YES,Yes\n",
		"columns":      "list,word,text\nyes-no,YES\n",
		"unknown list": "list,word,text\nmaybe,YES,Yes\n",
		"no text":      "list,word,text\nyes-no,YES,\n",
	} {
		if _, err := mapping.ParseDialect(text); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
