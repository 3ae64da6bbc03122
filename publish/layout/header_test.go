package layout_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/layout"
)

// A header is decoded whole, or not at all.
func TestDecodeHeader(t *testing.T) {
	type header struct {
		Format int    `json:"format"`
		Name   string `json:"name"`
	}
	for text, want := range map[string]struct {
		header header
		newer  bool
		ok     bool
	}{
		`{"format":1,"name":"a","later":[1]}`:     {header{1, "a"}, false, true},
		" {\"name\":\"a\",\"format\":2}\n":        {header{2, "a"}, false, true},
		`{"name":"a"}`:                            {header{0, "a"}, false, true},
		`{"format":3,"name":"a"}`:                 {header{}, true, false},
		`{"format":3,"name":{"now":"an object"}}`: {header{}, true, false},
		`{"format":2,"name":{"now":"an object"}}`: {header{Format: 2}, false, false},
		`{"format":2,"name":"a"} {"format":2}`:    {header{}, false, false},
		`{"format":2,"name":"a"`:                  {header{}, false, false},
		`{"format":"two","name":"a"}`:             {header{Name: "a"}, false, false},
		``:                                        {header{}, false, false},
	} {
		var got header
		err := layout.DecodeHeader("header", []byte(text), 2, &got)
		if errors.Is(err, layout.ErrNewer) != want.newer || (err == nil) != want.ok || got != want.header {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	var other struct {
		Name string `json:"name"`
	}
	if err := layout.DecodeHeader("header", []byte(`{"format":3,"name":"a"}`), 2, &other); !errors.Is(err, layout.ErrNewer) {
		t.Errorf("a format that the header does not have is not looked at: %v", err)
	}
}

// The times of headers sort as texts, and nothing else in a header changes.
func TestTimesHaveOneWidth(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 5, 0, 0, time.UTC)
	type header struct {
		Format int                 `json:"format"`
		At     time.Time           `json:"published_at"`
		Later  *time.Time          `json:"used_up_until,omitempty"`
		Query  map[string][]string `json:"query,omitempty"`
		Sent   map[string]string   `json:"sent,omitempty"`
	}
	var texts []string
	for _, ms := range []time.Duration{0, 7, 10, 63, 100, 629, 630, 631, 999} {
		data, err := layout.EncodeHeader(header{Format: 1, At: at.Add(ms * time.Millisecond)})
		check.Must(t, err)
		texts = append(texts, string(data))
		var back header
		if check.Must(t, layout.DecodeHeader("header", data, 1, &back)); !back.At.Equal(at.Add(ms * time.Millisecond)) {
			t.Errorf("%d ms: %s is read as %s", ms, data, back.At)
		}
	}
	if !slices.IsSorted(texts) {
		t.Errorf("not in the order of the times: %q", texts)
	}
	const sent = "2026-11-23T09:05:00Z" // a text that was sent to a provider, not ours
	data, err := layout.EncodeHeader(header{Format: 1, At: at, Later: &at, Query: map[string][]string{"commenceTimeFrom": {sent}}, Sent: map[string]string{"If-Modified-Since": sent}})
	check.Must(t, err)
	const want = `{
  "format": 1,
  "published_at": "2026-11-23T09:05:00.000Z",
  "used_up_until": "2026-11-23T09:05:00.000Z",
  "query": {
    "commenceTimeFrom": [
      "2026-11-23T09:05:00Z"
    ]
  },
  "sent": {
    "If-Modified-Since": "2026-11-23T09:05:00Z"
  }
}
`
	if string(data) != want {
		t.Errorf("%s", data)
	}
}
