package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
)

// counted returns the counts of answers, "path has/objects", in the order of the paths.
func counted(t *testing.T, p *provider.Provider, answers ...string) string {
	t.Helper()
	f := p.NewFields()
	for _, body := range answers {
		var d strictjson.Document
		if _, err := decode.Root(&d, provider.Payload{Endpoint: "list", Body: []byte(body), Fields: f}); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	fields := provider.Join(f)["list"]
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		one := fields[path]
		all = append(all, fmt.Sprintf("%s %d/%d", path, one.Has, one.Objects))
	}
	return strings.Join(all, ", ")
}

func TestFields(t *testing.T) {
	p := &provider.Provider{Keyed: []string{"sp"}}
	for answers, want := range map[string]string{
		`{"results":[{"a":1},{"a":2,"b":null},{"b":{}}]}`:                                    " 1/1, results 1/3, results.a 2/0, results.b 2/1",
		`[{"a":1},{"a":{"b":1}}]`:                                                            " 1/2, a 2/1, a.b 1/0",
		`{"pager":{"page":1},"results":[{"rows":[{"x":1},{"x":2},{"y":1}]}]}`:                " 1/1, pager 1/1, pager.page 1/0, results 1/1, results.rows 1/1, results.rows.x 1/0, results.rows.y 1/0",
		`{"results":[{"sp":{"full_time":{"odds":[{"id":1}]},"corners":{"id":2}}}]}`:          " 1/1, results 1/1, results.sp 1/1, results.sp.* 1/1, results.sp.*.id 1/0, results.sp.*.odds 1/1, results.sp.*.odds.id 1/0",
		`{"results":[{"scores":{"1":{"home":1},"2026-11-20":{"home":1},"a b":1,"ok_2":1}}]}`: " 1/1, results 1/1, results.scores 1/1, results.scores.* 1/1, results.scores.*.home 1/0, results.scores.ok_2 1/0",
	} {
		if got := counted(t, p, answers); got != want {
			t.Errorf("%s\n got %s\nwant %s", answers, got, want)
		}
	}
	if got := counted(t, p, `{"data":[{"a":1}]}`, `{"data":[{"b":1}]}`); got != " 2/2, data 2/2, data.a 1/0, data.b 1/0" {
		t.Error(got)
	}
	if got := counted(t, p, `{"message":"nothing"}`, `{"data":[]}`, `[]`); got != "" {
		t.Errorf("they found nothing: %s", got)
	}
}

// Members that are no names, or too many, are no form.
func TestTooManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"list":[{"x":0`)
	for i := range 600 {
		fmt.Fprintf(&b, `,"%s":1`, strings.Repeat(string(rune('a'+i%26)), i/26+2))
	}
	b.WriteString("}]}")
	if got := counted(t, new(provider.Provider), b.String()); got != "" {
		t.Error(got)
	}
}
