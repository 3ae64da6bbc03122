package transform_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/coverage"
	"mkt/transform/markets/suspicion"
)

// odd is a fixture whose draw no bet has another favourite than its match result.
const odd = `7 {"success":1,"results":[{"FI":"7","event_id":"9","main":{"updated_at":"1795160000","sp":{` +
	`"full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"1","odds":"1.50","name":"1"},{"id":"2","odds":"4.20","name":"Draw"},{"id":"3","odds":"7.00","name":"2"}]},` +
	`"draw_no_bet":{"id":"10544","name":"Draw No Bet","odds":[{"id":"4","odds":"5.00","name":"1"},{"id":"5","odds":"1.15","name":"2"}]}}}}]}`

// TestCoverArchive: a fixture that was fetched twice counts once, as it does in the
// pipeline, and suspicions are those of the manifest.
func TestCoverArchive(t *testing.T) {
	w := small("6", odd, "8")
	again := w.sheets[1]
	again.FetchedAt = again.FetchedAt.Add(20e9)
	w.sheets = append(w.sheets, again)
	mem := w.mem(t)
	_, err := run(mem, mem)
	must(t, err)
	m, _, err := snapshot.OpenCanonical(mem, cycleID)
	must(t, err)
	archive, err := raw.Open(mem, cycleID)
	must(t, err)
	c, err := coverage.OfArchive(archive, betsapi.Provider())
	must(t, err)
	all, fixtures, suspicious := c.Summary().Total, 0, 0
	for i := range c.Payloads {
		fixtures += c.Payloads[i].Fixtures
		suspicious += len(c.Payloads[i].Suspicions)
	}
	for name, got := range map[string]int{"fixtures": fixtures, "markets": all.Markets, "markets_mapped": all.Mapped, "selections": all.Selections,
		"selections_publishable": all.Publishable, "suspicions": suspicious, "suspicions:other_favourite": suspicious} {
		if want := m.Counters[name]; int64(got) != want || want == 0 {
			t.Errorf("%s: the check counts %d, the pipeline %d", name, got, want)
		}
	}
	if len(c.Payloads) != 4 || c.Payloads[1].Fixtures != 0 || c.Payloads[3].Fixtures != 1 || c.Payloads[3].Suspicions[0].Kind != suspicion.OtherFavourite {
		t.Errorf("%+v", c.Payloads)
	}
}

// TestHeaderOfTheFirstRunStays: a cycle that was written before suspicions were counted, or when
// others were, or before times had one width, is transformed again to the same bytes.
func TestHeaderOfTheFirstRunStays(t *testing.T) {
	const name = `"suspicions"`
	for what, edit := range map[string]func(header string) string{
		"counted as now":   func(h string) string { return h },
		"with short times": func(h string) string { return strings.ReplaceAll(h, `.000Z"`, `Z"`) },
		"not counted":      func(h string) string { return without(h, `"suspicions`) },
		"counted otherwise": func(h string) string {
			return strings.Replace(strings.Replace(h, `"suspicions:odd_margin": 0`, `"suspicions:older_kind": 3`, 1), name+": 1", name+": 4", 1)
		},
	} {
		t.Run(what, func(t *testing.T) {
			mem := small(odd).mem(t)
			_, err := run(mem, mem)
			must(t, err)
			file := layout.Cycle(layout.CanonicalDir, cycleID) + "/" + layout.CanonicalFile
			header, err := durable.ReadFile(mem, file, 1<<20)
			must(t, err)
			edited := []byte(edit(string(header)))
			if bytes.Equal(edited, header) != (what == "counted as now") {
				t.Fatalf("the header is not edited:\n%s", header)
			}
			must(t, durable.Overwrite(mem, file, edited))
			o := options(mem, mem)
			o.Cycle = cycleID
			_, err = transform.Run(t.Context(), o)
			must(t, err)
			now, err := durable.ReadFile(mem, file, 1<<20)
			must(t, err)
			if !bytes.Equal(now, edited) {
				t.Errorf("was:\n%s\nis:\n%s", edited, now)
			}
		})
	}
}

// without removes the members of a header that stand on lines with a text.
func without(text, part string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, part) {
			kept.WriteString(line)
		}
	}
	return trailingComma.ReplaceAllString(kept.String(), "$1")
}

var trailingComma = regexp.MustCompile(`,(\s*})`)
