package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/simulator"
)

var update = flag.Bool("update", false, "write the examples of docs/openapi.yaml again")

const openAPIFile = "../../docs/openapi.yaml"

// examplesBegin is the line of docs/openapi.yaml after which TestExamples writes everything.
const examplesBegin = "  examples: # Answers of the simulated world. Written by: go test ./cmd/mkt -run TestExamples -update\n"

type example struct {
	name   string // of an operation, or of an error response
	method string
	path   string // {fixture}, {live} and {other} are replaced by ids
	as     string // an account
	status int
	note   string // the shortened part
}

var examples = []example{
	{name: "getUsage", path: "/account/usage", as: entitled, status: 200}, // first, because it counts the others
	{name: "getStatus", path: "/status", as: entitled, status: 200},
	{name: "getSchema", path: "/schema", as: entitled, status: 200, note: "of the markets the first two"},
	{name: "listFixtures", path: "/fixtures?limit=2", as: entitled, status: 200},
	{name: "getFixture", path: "/fixtures/{fixture}", as: entitled, status: 200},
	{name: "listMarkets", path: "/fixtures/{fixture}/markets?market=MATCH_RESULT&limit=1", as: entitled, status: 200},
	{name: "getMarket", path: "/fixtures/{fixture}/markets/TOTAL_GOALS?period=FT", as: entitled, status: 200},
	{name: "listChanges", path: "/changes?limit=2", as: entitled, status: 200},
	{name: "listLive", path: "/live?limit=1", as: entitled, status: 200},
	{name: "getLive", path: "/live/{live}", as: entitled, status: 200},
	{name: "getTimeline", path: "/live/{live}/timeline", as: entitled, status: 200},
	{name: "getMomentum", path: "/live/{live}/momentum", as: entitled, status: 200},
	{name: "getStats", path: "/live/{live}/stats", as: entitled, status: 200},
	{name: "getAccount", path: "/account", as: entitled, status: 200},
	{name: "getProvider", path: "/account/provider", as: entitled, status: 200},

	{name: "BadRequest", path: "/schema?limit=%", as: entitled, status: 400},
	{name: "BadParameter", path: "/fixtures?limit=201", as: entitled, status: 400},
	{name: "Unauthorized", path: "/fixtures", status: 401},
	{name: "Forbidden", path: "/account", as: suspended, status: 403},
	{name: "ForbiddenData", path: "/fixtures", as: expired, status: 403},
	{name: "NotFound", path: "/nothing", as: entitled, status: 404},
	{name: "FixtureNotFound", path: "/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa", as: entitled, status: 404},
	{name: "MarketNotFound", path: "/fixtures/{fixture}/markets/TOTAL_GOALS?period=PEN", as: entitled, status: 404},
	{name: "MethodNotAllowed", method: "POST", path: "/fixtures", as: entitled, status: 405},
	{name: "NotConnected", path: "/fixtures", as: unconnected, status: 409},
	{name: "TooLarge", path: "/fixtures?league=" + strings.Repeat("x", 5000), as: entitled, status: 413},
	{name: "RateLimited", path: "/account", as: hurried, status: 429},
	{name: "Upstream", path: "/fixtures", as: unreached, status: 502},
	{name: "NotReady", path: "/fixtures", as: waiting, status: 503},
	{name: "NotReadyDetail", path: "/live/{other}/stats", as: entitled, status: 503},
}

// TestExamples: the examples of docs/openapi.yaml are the API's answers in the simulated world, which
// is the same everywhere. -update writes them; the tests of serve check them against the schemas.
func TestExamples(t *testing.T) {
	w := newSimulated(t, simulator.Options{Seed: 11, Fixtures: 8, InPlay: 5}, 14*time.Minute, 2)
	text, err := os.ReadFile(openAPIFile)
	w.must(err)
	head, written, found := strings.Cut(string(text), examplesBegin)
	if !found {
		t.Fatalf("%s has no line %q", openAPIFile, examplesBegin)
	}
	got := w.examples()
	if *update {
		w.must(os.WriteFile(openAPIFile, []byte(head+examplesBegin+got), 0o644))
		return
	}
	if diff := cmp.Diff(written, got); diff != "" {
		t.Errorf("the examples of %s are not what the API answers: go test ./cmd/mkt -run TestExamples -update, and read the diff\n%s", openAPIFile, diff)
	}
}

func (w *simulatedSystem) examples() string {
	w.Helper()
	w.get("GET", "/account", hurried) // its only request of the hour
	ids := strings.NewReplacer(w.exampleIDs()...)
	texts := map[string]string{}
	for _, e := range examples {
		path, method := ids.Replace(e.path), e.method
		if method == "" {
			method = "GET"
		}
		status, body := w.get(method, path, e.as)
		if status != e.status {
			w.Fatalf("%s: %s %s as %q: %d %.300s", e.name, method, path, e.as, status, body)
		}
		if e.name == "getSchema" {
			body = w.shortened(body, "markets", 2)
		}
		summary := method + " " + path
		if len(summary) > 200 {
			summary = "a URL that is too long"
		}
		if e.note != "" {
			summary += ", " + e.note
		}
		texts[e.name] = fmt.Sprintf("    %s:\n      summary: %q\n      value:\n        %s\n", e.name, summary, flow(w.decoded(body), 8))
	}
	var b strings.Builder
	for _, e := range append(examples[1:], examples[0]) {
		b.WriteString(texts[e.name])
	}
	return b.String()
}

// exampleIDs are a fixture with markets, one in play with few minutes, and one in play without
// detail.
func (w *simulatedSystem) exampleIDs() []string {
	w.Helper()
	type item struct {
		FixtureID       string `json:"fixture_id"`
		MarketCount     int    `json:"market_count"`
		DetailAvailable bool   `json:"detail_available"`
		Momentum        *struct{}
	}
	list := func(path string) (items []item) {
		_, body := w.get("GET", path, entitled)
		var page struct{ Data []item }
		w.must(json.Unmarshal(body, &page))
		return page.Data
	}
	ids := map[string]string{}
	for _, f := range list("/fixtures?limit=200") {
		if f.MarketCount > 0 && ids["{fixture}"] == "" {
			ids["{fixture}"] = f.FixtureID
		}
	}
	least := 1 << 30
	for _, f := range list("/live?limit=200") {
		if !f.DetailAvailable {
			ids["{other}"] = f.FixtureID
			continue
		}
		_, timeline := w.get("GET", "/live/"+f.FixtureID+"/timeline", entitled)
		if f.Momentum != nil && len(timeline) < least {
			least, ids["{live}"] = len(timeline), f.FixtureID
		}
	}
	var pairs []string
	for _, name := range []string{"{fixture}", "{live}", "{other}"} {
		if ids[name] == "" {
			w.Fatalf("the world has no %s", name)
		}
		pairs = append(pairs, name, ids[name])
	}
	return pairs
}

// shortened keeps the first few items of a list in data.
func (w *simulatedSystem) shortened(body []byte, list string, keep int) []byte {
	w.Helper()
	v := w.decoded(body)
	for _, m := range v.member("data").members {
		if m.name == list {
			m.value.items = m.value.items[:keep]
		}
	}
	return []byte(v.line())
}

// node is a JSON value with its members in order.
type node struct {
	text    string // of a string, number, true, false or null
	members []jsonMember
	items   []*node
	kind    json.Delim // '{', '[', or 0
}

type jsonMember struct {
	name  string
	value *node
}

func (w *simulatedSystem) decoded(body []byte) *node {
	w.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	n, err := decodeNode(d)
	w.must(err)
	return n
}

func decodeNode(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	kind, nested := token.(json.Delim)
	if !nested {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		err := e.Encode(token)
		return &node{text: strings.TrimSpace(text.String())}, err
	}
	n := &node{kind: kind}
	for d.More() {
		name := ""
		if kind == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name = key.(string)
		}
		value, err := decodeNode(d)
		if err != nil {
			return nil, err
		}
		if kind == '{' {
			n.members = append(n.members, jsonMember{name, value})
		} else {
			n.items = append(n.items, value)
		}
	}
	_, err = d.Token()
	return n, err
}

func (n *node) member(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return &node{}
}

// parts returns the members or items as text.
func (n *node) parts(one func(*node) string) (list []string, open, end string) {
	for _, m := range n.members {
		name, _ := json.Marshal(m.name)
		list = append(list, string(name)+": "+one(m.value))
	}
	for _, item := range n.items {
		list = append(list, one(item))
	}
	if n.kind == '{' {
		return list, "{", "}"
	}
	return list, "[", "]"
}

func (n *node) line() string {
	if n.kind == 0 {
		return n.text
	}
	list, open, end := n.parts((*node).line)
	return open + strings.Join(list, ", ") + end
}

// flow returns the value in YAML's flow style, which is JSON, with line breaks where a line would be
// too long. A list of words fills its lines.
func flow(n *node, indent int) string {
	const width = 180
	line := n.line()
	if n.kind == 0 || len(line)+indent <= width {
		return line
	}
	list, open, end := n.parts(func(c *node) string { return flow(c, indent+2) })
	pad := "\n" + strings.Repeat(" ", indent)
	if len(n.items) > 0 && n.items[0].kind == 0 {
		list = filled(list, width-indent-2)
	}
	return open + pad + "  " + strings.Join(list, ","+pad+"  ") + pad + end
}

func filled(words []string, width int) (lines []string) {
	for _, word := range words {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(word) < width-3 {
			lines[last] += ", " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
