package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
)

// vocabularies are the members of answers with a closed set of words, and the lists of /schema that
// have these sets. A path is the members that lead to a value, without lists; the first pattern that
// matches its end counts.
var vocabularies = []struct{ path, lists string }{
	{`health\.components\.component`, "health_components"},
	{`health\.components\.code`, "health_codes"},
	{`health\.components\.status`, "health_statuses"},
	{`health\.status`, "health_statuses"},
	{`data\.service\.products\.[a-z_]+`, "products"},
	{`data\.account\.status`, "client_statuses"},
	{`data\.products\.product`, "products"},
	{`data\.products\.status`, "subscription_statuses"},
	{`data\.products\.features`, "features"},
	{`data\.features\.[a-z_]+`, "features"},
	{`data\.provider\.status`, "provider_statuses"},
	{`/account/provider data\.status`, "provider_statuses"},
	{`/account data\.status`, "client_statuses"},
	{`data\.capabilities`, "provider_capabilities"},
	{`data\.last_error`, "provider_error_codes"},
	{`data\.days\.requests\.product`, "products"},
	{`error\.code`, "error_codes"},
	{`/changes data\.type`, "change_event_types"},
	{`data\.market`, "markets"},
	{`data\.period`, "periods"},
	{`data\.sections`, "sections"},
	{`data\.origin_type`, "origin_types"},
	{`derivation\.version`, "derivation_version"},
	{`selections\.dimension`, "dimensions"},
	{`quality\.status`, "quality_statuses"},
	{`quality\.reasons`, "quality_reasons"},
	{`clock\.period`, "clock_periods"},
	{`visual_state\.state`, "visual_states"},
	{`(timeline|withdrawn)\.state`, "visual_states"},
	{`(visual_state|timeline)\.certainty`, "timeline_certainties"},
	{`(visual_state|timeline|withdrawn)\.side_proven`, "sides"},
	{`momentum\.leader`, "momentum_leaders"},
	{`momentum\.strength`, "momentum_strengths"},
	{`momentum\.scope`, "momentum_scopes"},
	{`unavailable_reason`, "unavailable_reasons"},
	{`withdrawn\.reason`, "withdrawal_reasons"},
	{`data\.counters\.[a-z_0-9]+`, "metrics provider_metrics"},
	{`(counters\.[a-z_0-9]+|series\.kova|periods\.[a-z_0-9]+)\.state`, "bucket_states"},
	{`data\.periods\.[a-z_0-9]+`, "stats_periods"},
}

// texts are members whose values are not from a closed set, even if they look like it: names, prices,
// lines, ids, and the outcomes of a market.
var texts = regexp.MustCompile(`\.(home|away|league|market_name|lines|selection|line|qualifier|subject|subject_2|row|column|name|labels\.\w+|fractional|` +
	`provider_\w+|\w+_id|\w+_url|\w+_at|at|until|since|shown_from|replaced_by|retained_from|cycle_id|time|date|route|endpoint|absent|message|content_digest|\w*cursor|\w+_hint|support_email|api_version|` +
	`urls\.\w+|source_provider)$|^/status data\.status$`)

// TestWordsAreInSchema: no answer of the API about the simulated world, to accounts in every state,
// has a word of a closed set that /schema does not list. It also finds unknown members with words.
func TestWordsAreInSchema(t *testing.T) {
	w := newSimulated(t, simulator.Options{Seed: 3, Fixtures: 24, InPlay: 16}, 20*time.Minute, 50)
	c := &crawl{simulatedSystem: w, said: map[string]map[string]bool{}, asked: map[string]bool{}, found: map[string]found{}}
	c.readSchema()
	for _, a := range w.accounts {
		for _, path := range []string{"/status", "/account", "/account/provider", "/fixtures", "/changes", "/live", "/account/usage"} {
			c.page(path, a.Tenant.ID)
		}
	}
	for _, v := range c.vocabularies {
		if len(c.said[v.name]) == 0 {
			t.Errorf("no answer has %s: it is not tested", v.name)
		}
	}
}

type crawl struct {
	*simulatedSystem
	vocabularies []vocabulary
	said         map[string]map[string]bool // by pattern
	asked        map[string]bool
	found        map[string]found // by path
}

// vocabulary is a closed set and its pattern.
type vocabulary struct {
	name  string
	path  *regexp.Regexp
	words map[string]bool
}

// found is what a member contains: names of one vocabulary, values of another; nil for neither.
type found struct {
	name, text *vocabulary
	free       bool
}

func (c *crawl) readSchema() {
	c.Helper()
	var schema struct{ Data map[string]json.RawMessage }
	_, body := c.simulatedSystem.get("GET", "/schema", entitled)
	c.must(json.Unmarshal(body, &schema))
	lists := map[string][]string{}
	for name, raw := range schema.Data {
		var list []string
		var byProduct map[string][]string
		var version string
		var markets []struct{ Market, Dimension string }
		switch {
		case json.Unmarshal(raw, &list) == nil:
			lists[name] = list
		case json.Unmarshal(raw, &version) == nil:
			lists[name] = []string{version}
		case name == "markets" && json.Unmarshal(raw, &markets) == nil:
			for _, m := range markets {
				lists["markets"], lists["dimensions"] = append(lists["markets"], m.Market), append(lists["dimensions"], m.Dimension)
			}
		case json.Unmarshal(raw, &byProduct) == nil:
			lists[name] = slices.Concat(slices.Collect(maps.Values(byProduct))...)
		}
	}
	for _, v := range vocabularies {
		words := map[string]bool{}
		for _, name := range strings.Fields(v.lists) {
			if len(lists[name]) == 0 {
				c.Errorf("/schema has no %s", name)
			}
			for _, word := range lists[name] {
				words[word] = true
			}
		}
		c.vocabularies = append(c.vocabularies, vocabulary{v.path, regexp.MustCompile(v.path + "$"), words})
	}
}

// page checks an answer, the pages after it, and the routes of its items.
func (c *crawl) page(path, as string) {
	c.Helper()
	if c.asked[path+" "+as] {
		return
	}
	c.asked[path+" "+as] = true
	_, body := c.simulatedSystem.get("GET", path, as)
	var answer any
	c.must(json.Unmarshal(body, &answer))
	route, _, _ := strings.Cut(ids.ReplaceAllString(path, "{id}"), "?")
	c.look(route+" ", answer)
	page, _ := answer.(map[string]any)
	if items, ok := page["data"].([]any); ok {
		for _, item := range items {
			id, _ := item.(map[string]any)["fixture_id"].(string)
			switch list, _, _ := strings.Cut(path, "?"); list {
			case "/fixtures":
				c.page("/fixtures/"+id, as)
				c.page("/fixtures/"+id+"/markets?limit=200", as)
			case "/live":
				for _, part := range []string{"", "/timeline", "/momentum", "/stats"} {
					c.page("/live/"+id+part, as)
				}
			}
		}
	}
	if more, _ := page["pagination"].(map[string]any); more["has_more"] == true {
		list, _, _ := strings.Cut(path, "?")
		c.page(fmt.Sprint(list, "?limit=200&cursor=", more["next_cursor"]), as)
	}
}

// ids in a path are replaced by one text.
var ids = regexp.MustCompile(`\bfx_[a-z2-7]+`)

// look walks through a value. at is the route and the members that lead to it.
func (c *crawl) look(at string, value any) {
	c.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, child := range v {
			next := strings.TrimPrefix(at+"."+name, ".")
			if strings.HasSuffix(at, " ") {
				next = at + name
			}
			if f := c.at(next); f.name != nil {
				c.known(f.name, next, name)
			}
			c.look(next, child)
		}
	case []any:
		for _, child := range v {
			c.look(at, child)
		}
	case string:
		switch f := c.at(at); {
		case f.text != nil && f.text.words["FT"] && interval.MatchString(v): // a period in minutes
		case f.text != nil:
			c.known(f.text, at, v)
		case !f.free:
			c.Errorf("%s: %q: the member is in no vocabulary and is no free text", at, v)
		}
	}
}

var (
	keyed    = regexp.MustCompile(`\[a-z_(0-9)?\]\+$`) // patterns of members whose names are words
	interval = regexp.MustCompile(`^\d+-\d+$`)
)

// at returns what the member at a path contains.
func (c *crawl) at(path string) found {
	f, ok := c.found[path]
	if ok {
		return f
	}
	for i := range c.vocabularies {
		v := &c.vocabularies[i]
		switch own := keyed.MatchString(v.name); {
		case !v.path.MatchString(path):
		case own && f.name == nil:
			f.name = v
		case !own && f.text == nil:
			f.text = v
		}
	}
	f.free = texts.MatchString(path)
	c.found[path] = f
	return f
}

// known checks a word against its list.
func (c *crawl) known(v *vocabulary, at, word string) {
	c.Helper()
	if c.said[v.name] == nil {
		c.said[v.name] = map[string]bool{}
	}
	if !v.words[word] && !c.said[v.name][word] {
		c.Errorf("%s: /schema does not list %q", at, word)
	}
	c.said[v.name][word] = true
}
