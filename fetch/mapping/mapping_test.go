package mapping_test

import (
	"testing"

	"mkt/fetch/mapping"
)

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
