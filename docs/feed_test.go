package docs_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"mkt/internal/testing/feedtest"
)

const feedSchema = "feed.schema.json"

// answers are the definitions of the three answers of a feed.
var answers = []string{"fixtures", "markets", "live"}

// The schema of a feed is one of its draft, and every example fits its definition and, as
// an answer, no other.
func TestFeedSchemaIsSound(t *testing.T) {
	t.Parallel()
	schema := feedtest.Open(t, feedSchema)
	draft, err := feedtest.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil || draft.Validate(schema.Root) != nil || schema.Root["$schema"] != draft.Location[:len(draft.Location)-1] {
		t.Fatalf("%v: %v, %v", schema.Root["$schema"], err, draft.Validate(schema.Root))
	}
	shown := 0
	for name, definition := range schema.Root["$defs"].(map[string]any) {
		examples, _ := definition.(map[string]any)["examples"].([]any)
		for _, e := range examples {
			shown++
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range answers {
				if err := schema.Check(of, text); (err == nil) != (of == name) {
					t.Errorf("an example of %s as an answer of %s: %v", name, of, err)
				}
			}
			if err := schema.Check("", text); err != nil {
				t.Errorf("an example of %s: %v", name, err)
			}
		}
	}
	if shown < len(answers) {
		t.Errorf("%d examples", shown)
	}
}

// A change of an example that the contract forbids is found; one that it allows is not.
func TestFeedSchemaTells(t *testing.T) {
	t.Parallel()
	schema := feedtest.Open(t, feedSchema)
	for _, c := range []struct {
		answer, from, to string
		fits             bool
	}{
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":"2026-12-05T15:00:00.5-03:30"`, true},
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":null`, true},
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":"2026-12-05T15:00:00"`, false},
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":"2026-12-05 15:00:00Z"`, false},
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":"2026-13-05T15:00:00Z"`, false},
		{"fixtures", `"starts_at":"2026-12-05T15:00:00Z"`, `"starts_at":1796482800`, false},
		{"fixtures", `"id":"1001"`, `"id":1001`, false},
		{"fixtures", `"id":"1001"`, `"id":"1001/2"`, false},
		{"fixtures", `"id":"1001"`, `"id":""`, false},
		{"fixtures", `"id":"1001",`, ``, false},
		{"fixtures", `"home":"Arsenal"`, `"home":""`, false},
		{"fixtures", `"home":"Arsenal"`, `"home":null`, true},
		{"fixtures", `"status":"NOT_STARTED"`, `"status":"SCHEDULED"`, false},
		{"fixtures", `"status":"NOT_STARTED"`, `"status":"HALTED"`, true},
		{"fixtures", `"complete":true,`, ``, false},
		{"fixtures", `"count":3`, `"count":"3"`, false},
		{"fixtures", `"next":null`, `"next":"2"`, true},
		{"fixtures", `"next":null`, `"next":""`, false},
		{"fixtures", `"source":"acme-odds"`, `"source":"Acme Odds"`, false},
		{"fixtures", `"league":null`, `"sport":"football"`, false},
		{"markets", `"decimal":"1.95","fractional"`, `"decimal":"1.950","fractional"`, true},
		{"markets", `"decimal":"1.95","fractional"`, `"decimal":1.95,"fractional"`, false},
		{"markets", `"decimal":"1.95","fractional"`, `"decimal":"1,95","fractional"`, false},
		{"markets", `"decimal":"1.95","fractional"`, `"decimal":"+195","fractional"`, false},
		{"markets", `"decimal":"1.95","fractional"`, `"decimal":"","fractional"`, false},
		{"markets", `"decimal":"1.95","fractional"`, `"american":"-105","fractional"`, false},
		{"markets", `"fractional":"100/1"`, `"fractional":"100-1"`, false},
		{"markets", `"labels":{"name":"Arsenal"}`, `"labels":{}`, false},
		{"markets", `"labels":{"name":"Arsenal"}`, `"labels":{"name":17}`, false},
		{"markets", `"labels":{"name":"Arsenal"}`, `"labels":{"1":"Arsenal"}`, false},
		{"markets", `"line":"-0.5"`, `"line":-0.5`, false},
		{"markets", `"selection":"DRAW"`, `"selection":"DRAW","market":"MATCH_RESULT"`, false},
		{"markets", `"selection":"DRAW"`, `"subject":"HOME"`, false},
		{"markets", `"market":"MATCH_RESULT","period":"FT"`, `"market":"MATCH_RESULT"`, false},
		{"markets", `"market":"MATCH_RESULT","period":"FT"`, `"market":"MATCH_RESULT","period":"0-10"`, true},
		{"markets", `"market":"MATCH_RESULT","period":"FT"`, `"market":"MATCH_RESULT","period":"FULL"`, false},
		{"markets", `"market":"MATCH_RESULT","period":"FT"`, `"market":"Match Result","period":"FT"`, false},
		{"markets", `"retrieved_at":"2026-12-05T12:00:00Z"`, `"retrieved_at":null`, false},
		{"markets", `"suspended":true`, `"suspended":null`, false},
		{"markets", `"missing":["1003"],`, ``, false},
		{"live", `"away":0,"home":1`, `"away":0,"home":"1"`, false},
		{"live", `"away":0,"home":1`, `"away":0,"home":-1`, false},
		{"live", `"away":0,"home":1`, `"away":null`, true},
		{"live", `"half":1`, `"half":0`, false},
		{"live", `"minute":12`, `"minute":0`, false},
		{"live", `"minute":23`, `"minute":"23'"`, false},
		{"live", `"kind":"GOAL"`, `"kind":"goal"`, false},
		{"live", `"id":"e1",`, ``, false},
		{"live", `"side":"HOME"`, `"side":null`, false},
		{"live", `"corners":{"away":0,"home":3}`, `"corners":null`, true},
		{"live", `"corners":{"away":0,"home":3}`, `"corners":3`, false},
		{"live", `"corners":{"away":0,"home":3}`, `"Corners":{"away":0,"home":3}`, false},
		{"live", `"running":true`, `"running":1`, false},
		{"live", `"complete":true,`, ``, false},
	} {
		example := schema.Root["$defs"].(map[string]any)[c.answer].(map[string]any)["examples"].([]any)[0]
		data, err := json.Marshal(example) // members by name
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte(c.from)) {
			t.Fatalf("the example of %s has no %s: %s", c.answer, c.from, data)
		}
		changed := bytes.Replace(data, []byte(c.from), []byte(c.to), 1)
		if !json.Valid(changed) {
			t.Fatalf("%s as %s is no JSON", c.from, c.to)
		}
		if err := schema.Check(c.answer, changed); (err == nil) != c.fits {
			t.Errorf("%s as %s: fits %v, want %v: %v", c.from, c.to, err == nil, c.fits, err)
		}
	}
}
