package feedcheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
)

// answer is one answer of a feed. The members from Source on are what the rules look at: what is of
// another type is left out of them, and the schema reports it.
type answer struct {
	name     string // the request, or the file
	endpoint string
	query    url.Values
	at       time.Time // when it was received; zero for a file
	status   int
	rejected string // why it is not read; "" if it is
	cut      bool   // body is not all of it
	tag      string // the entity tag
	body     []byte
	isFaulty bool // has an error

	Source            string
	Complete          bool
	Count             *int
	Next              *string
	Fixtures, Matches []struct {
		ID, Home, Away, Status string
		Start                  string `json:"starts_at"`
		Retrieved              string `json:"retrieved_at"`
		Markets                []market
		Counters               map[string]any
	}
	Missing []string
}

type market struct {
	ID, Name   string
	Claim      claim
	Selections []struct {
		Labels map[string]string
		Odds   struct{ Decimal string }
		Claim  claim
	}
}

type claim struct{ Market, Period, Selection, Line, Subject string }

// check adds what is wrong with the answers of a source, which are in the order of the requests.
func (c *checker) check(answers []*answer, source string) {
	c.checked += len(answers)
	var pages []*answer
	for i, a := range answers {
		c.schema(a)
		_ = json.Unmarshal(a.body, a)
		hash := durable.Hash(a.body)
		if before, met := c.tagged[a.name+a.tag]; a.tag != "" && met && before != hash {
			c.add("TAG_TWICE", a, "", a.tag)
		}
		c.tagged[a.name+a.tag], a.body = hash, nil
		switch {
		case a.Source != "" && a.Source != source:
			c.add("OTHER_SOURCE", a, ".source", a.Source, source)
		case a.rejected != "" && !a.isFaulty:
			c.add("REJECTED", a, "", a.rejected)
		case a.rejected != "":
		case a.endpoint == "markets":
			c.markets(a)
		default:
			pages = append(pages, a)
		}
		if n := len(pages); n > 0 && (i+1 == len(answers) || pages[n-1].Next == nil || answers[i+1].endpoint != pages[n-1].endpoint) {
			c.list(pages)
			pages = nil
		}
	}
}

// Clocks of two machines differ, and matches begin late.
const (
	aheadOfClock = time.Minute
	aheadOfStart = 15 * time.Minute
)

// ahead returns how long after its answer a time is; 0 for a file.
func (a *answer) ahead(text string) time.Duration {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || a.at.IsZero() {
		return 0
	}
	return t.Sub(a.at).Round(time.Second)
}

// list checks the pages of one list of fixtures, or the list of matches.
func (c *checker) list(pages []*answer) {
	begin, total, now := pages[0], 0, map[string]identified{}
	met, cursors := map[string]bool{}, map[string]bool{}
	for _, a := range pages {
		if a.Complete != begin.Complete || !reflect.DeepEqual(a.Count, begin.Count) {
			c.add("PAGES_DIFFER", a, ".count")
		}
		if a.Next != nil && cursors[*a.Next] {
			c.add("CURSOR_AGAIN", a, ".next", *a.Next)
			return
		} else if a.Next != nil {
			cursors[*a.Next] = true
		}
		member := map[bool]string{true: "fixtures", false: "matches"}[len(a.Matches) == 0]
		for i, f := range slices.Concat(a.Fixtures, a.Matches) {
			path := fmt.Sprintf(".%s[%d]", member, i)
			if total++; f.ID != "" && met[f.ID] {
				c.add("ID_TWICE", a, path+".id", f.ID)
			}
			met[f.ID] = true
			for name := range f.Counters {
				if !slices.Contains(football.Metrics(), football.Metric(name)) {
					c.add("COUNTER_UNKNOWN", a, path+".counters."+name, name)
				}
			}
			if d := a.ahead(f.Start); f.Status == "IN_PLAY" && d > aheadOfStart {
				c.add("STARTS_LATER", a, path+".starts_at", f.Home+" - "+f.Away, d)
			}
			if what := fmt.Sprintf("%s - %s at %s", f.Home, f.Away, f.Start); f.Home != "" && f.Start != "" {
				now[what] = identified{what, f.ID, a, path + ".id"}
			}
		}
	}
	c.sameIDs("ID_CHANGED", now, met)
	if begin.Count != nil && *begin.Count != total && pages[len(pages)-1].Next == nil {
		c.add("COUNT", begin, ".count", *begin.Count, total, begin.Complete)
	}
	if begin.Complete && begin.endpoint == "fixtures" {
		was := len(c.listed)
		maps.DeleteFunc(c.listed, func(id string, _ bool) bool { return met[id] })
		if gone := len(c.listed); gone > 0 {
			c.add("COMPLETE_SHRINKS", begin, ".complete", gone, was)
		}
		c.listed = met
	}
}

// identified is something with an id, and its place.
type identified struct {
	what, id string
	of       *answer
	path     string
}

// sameIDs checks that what is in an answer has the id that it had before. ids are all that are there: if
// the one before is, it is that of another, which is called the same.
func (c *checker) sameIDs(code string, now map[string]identified, ids map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(now)) {
		n, before := now[key], c.ids[key]
		if before.of != nil && before.id != n.id && !ids[before.id] {
			c.add(code, n.of, n.path, n.what, n.id, before.id, before.of.name)
		}
	}
	maps.Copy(c.ids, now)
}

// priced are the prices of a fixture in one answer.
type priced struct {
	retrieved string
	markets   []market
}

var isAmerican = regexp.MustCompile(`^[1-9]\d{2,}$`).MatchString

// markets checks an answer with prices: its fixtures against its request and the answer before, and
// their markets.
func (c *checker) markets(a *answer) {
	answered, prices := slices.Clone(a.Missing), []string{}
	for i, f := range a.Fixtures {
		path := fmt.Sprintf(".fixtures[%d]", i)
		answered = append(answered, f.ID)
		if d := a.ahead(f.Retrieved); d > aheadOfClock {
			c.add("RETRIEVED_LATER", a, path+".retrieved_at", d)
		}
		if len(f.Markets) == 0 {
			c.add("NO_MARKETS", a, path+".markets", f.ID)
		}
		before, met, now := c.prices[f.ID], map[string]bool{}, map[string]identified{}
		if before.markets != nil && before.retrieved < f.Retrieved && reflect.DeepEqual(before.markets, f.Markets) {
			c.add("RETRIEVED_MOVES", a, path+".retrieved_at", f.ID)
		}
		c.prices[f.ID] = priced{f.Retrieved, f.Markets}
		claimed := map[string]*market{}
		for k := range f.Markets {
			m, at := &f.Markets[k], fmt.Sprintf("%s.markets[%d]", path, k)
			if met[m.ID] {
				c.add("MARKET_ID_TWICE", a, at+".id", f.ID, m.ID)
			}
			met[m.ID] = m.ID != ""
			what := fmt.Sprintf("The market %q of the fixture %s", m.Name, f.ID)
			var key strings.Builder
			fmt.Fprint(&key, what, m.Claim)
			for _, s := range m.Selections {
				fmt.Fprint(&key, s.Labels, s.Claim)
				if s.Odds.Decimal != "" {
					prices = append(prices, s.Odds.Decimal)
				}
			}
			now[key.String()] = identified{what, m.ID, a, at + ".id"}
			if m.Claim.Market != "" {
				c.claim(a, at, f.ID, m, claimed)
			}
		}
		c.sameIDs("MARKET_ID_CHANGED", now, met)
	}
	if len(prices) > 1 && !slices.ContainsFunc(prices, func(p string) bool { return !isAmerican(p) }) {
		c.add("AMERICAN_ODDS", a, ".fixtures", prices[0])
	}
	for _, id := range strings.Split(a.query.Get("fixtures"), ",") {
		if id != "" && !slices.Contains(answered, id) {
			c.add("NOT_ANSWERED", a, ".fixtures", id)
		}
	}
}

// claim checks what a market claims to be. claimed has the market of each selection of the fixture that
// was met.
func (c *checker) claim(a *answer, path, fixture string, m *market, claimed map[string]*market) {
	term, known := football.Lookup(m.Claim.Market)
	if known && (term.Line == football.AsianHandicap || term.Line == football.EuropeanHandicap) {
		c.handicaps[placeOf(fixture, m.ID)] = true
	}
	if !known {
		c.add("CLAIM_UNKNOWN", a, path+".claim.market", m.Claim.Market)
		return
	}
	for _, s := range m.Selections {
		line := strings.TrimPrefix(cmp.Or(s.Claim.Line, m.Claim.Line), "+")
		words := []string{m.Claim.Market, m.Claim.Period, cmp.Or(s.Claim.Subject, m.Claim.Subject), s.Claim.Selection, line}
		key := strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
		if before := claimed[key]; before != nil && before != m && before.Name == m.Name {
			c.add("MARKET_TWICE", a, path+".claim", before.ID, m.ID, key)
			break
		}
		claimed[key] = m
	}
}
