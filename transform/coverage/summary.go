package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mkt/publish/football"
	"mkt/transform/markets/suspicion"
)

// Summary is a report in numbers, as mkt mapping report prints it.
type Summary struct {
	Provider    string          `json:"provider"`
	Payloads    []Counted       `json:"payloads"`
	Total       Totals          `json:"total"`
	Listings    int             `json:"listings"` // payloads with lists of fixtures
	Others      []Other         `json:"others"`
	Unreadable  int             `json:"unreadable"`
	Nameless    int             `json:"without_names"` // fixtures without the name of a team
	Raw         []RawName       `json:"raw"`           // by their number, and then by key
	Reasons     map[string]int  `json:"not_publishable"`
	Unpublished []Unpublished   `json:"not_publishable_markets"` // by reason, and then by their number
	Damaged     map[string]int  `json:"damaged"`                 // unreadable parts
	Unknown     map[string]int  `json:"unknown_fields"`          // fields no reader knows
	Suspicions  []SuspicionKind `json:"suspicions"`
	Outcomes    []Outcome       `json:"outcomes"` // of all markets with prices, in the order of their results
}

// Counted is a payload in numbers.
type Counted struct {
	Payload    string   `json:"payload"`
	Bookmaker  string   `json:"bookmaker,omitempty"`
	Bookmakers []string `json:"bookmakers,omitempty"` // of the payload, if Bookmaker is not among them
	Fixtures   int      `json:"fixtures"`
	Totals
	Broken       int    `json:"broken"`
	WithoutNames int    `json:"without_names"`
	Error        string `json:"error,omitempty"`
}

// Example is the first of several markets or selections.
type Example struct {
	Payload   string `json:"payload"`
	Bookmaker string `json:"bookmaker,omitempty"`
	Fixture   string `json:"provider_fixture_id"`
	Words     string `json:"words"` // of one selection, with its price, as the provider wrote them; "" if it has none
}

// RawName counts the RAW markets of one name.
type RawName struct {
	Key        string          `json:"key"`
	Name       string          `json:"name"`
	Reason     football.Reason `json:"reason"`
	Markets    int             `json:"markets"`
	Selections int             `json:"selections"`
	Example    Example         `json:"example"`
}

// Unpublished counts the selections of one mapped market that are not publishable for one reason.
// Those that are not on offer are left out, because they were read.
type Unpublished struct {
	Reason     football.Reason `json:"reason"`
	Key        string          `json:"key"`
	Market     string          `json:"market"`
	Period     string          `json:"period"`
	Subject    string          `json:"subject,omitempty"` // the side of the market, "" if it is about none
	Selections int             `json:"selections"`
	Example    Example         `json:"example"`
}

// SuspicionKind counts the markets of one kind of suspicion, with the first few.
type SuspicionKind struct {
	Kind     string       `json:"kind"`
	Markets  int          `json:"markets"`
	Examples []Suspicious `json:"examples"`
}

// Suspicious is a suspicious market in its payload.
type Suspicious struct {
	Payload   string `json:"payload"`
	Bookmaker string `json:"bookmaker,omitempty"`
	Fixture   string `json:"provider_fixture_id"`
	Key       string `json:"key"`
	Market    string `json:"market"`
	Period    string `json:"period"`
	Subject   string `json:"subject,omitempty"`
	Seen      string `json:"seen"`
}

// maxExamples is how many markets of each kind of suspicion are examples.
const maxExamples = 3

// Result is what the markets of one name became.
type Result struct {
	Key     string          `json:"key"`
	Name    string          `json:"name"`
	Market  string          `json:"market,omitempty"`
	Period  string          `json:"period,omitempty"`
	Subject string          `json:"subject,omitempty"`
	Reason  football.Reason `json:"raw_reason,omitempty"`
}

// Compare orders results by key and name.
func (r Result) Compare(o Result) int {
	return cmp.Or(cmp.Compare(r.Key, o.Key), cmp.Compare(r.Name, o.Name), cmp.Compare(r.Market, o.Market), cmp.Compare(r.Period, o.Period),
		cmp.Compare(r.Subject, o.Subject), cmp.Compare(r.Reason, o.Reason))
}

// Counts are the markets with one result. Reasons are those of their selections, except that the
// market is RAW.
type Counts struct {
	Markets     int                     `json:"markets"`
	Selections  int                     `json:"selections"`
	Publishable int                     `json:"publishable"`
	Reasons     map[football.Reason]int `json:"not_publishable"`
}

// Outcome is a result with the markets that have it.
type Outcome struct {
	Result
	Counts
}

// list is a list of groups in the order of their first members.
type list[K comparable, V any] struct {
	at  map[K]int
	all []V
}

// of returns the group of a key, which is first if it is a new one.
func (l *list[K, V]) of(key K, first V) *V {
	if l.at == nil {
		l.at, l.all = map[K]int{}, []V{}
	}
	at, met := l.at[key]
	if !met {
		at = len(l.all)
		l.at[key], l.all = at, append(l.all, first)
	}
	return &l.all[at]
}

// Summary counts the report.
func (c *Report) Summary() Summary {
	s := Summary{Provider: c.Provider, Payloads: []Counted{}, Listings: c.Listings, Others: append([]Other{}, c.Others...), Raw: []RawName{}, Reasons: map[string]int{},
		Unpublished: []Unpublished{}, Damaged: map[string]int{}, Unknown: map[string]int{}, Suspicions: []SuspicionKind{}, Outcomes: []Outcome{}}
	nameless := map[string]bool{}
	var outcomes list[Result, Outcome]
	var raw list[Result, RawName]
	var unpublished list[Unpublished, Unpublished]
	var suspicions list[suspicion.Kind, SuspicionKind]
	for i := range c.Payloads {
		p := &c.Payloads[i]
		counted := Counted{p.Name, p.Bookmaker, p.Bookmakers, p.Fixtures, p.Totals(), len(p.Broken), len(p.WithoutNames), ""}
		if p.Err != nil {
			s.Unreadable++
			counted.Error = p.Err.Error()
		}
		s.Payloads = append(s.Payloads, counted)
		s.Total.Add(counted.Totals)
		for _, id := range p.WithoutNames {
			nameless[id] = true
		}
		addAll(s.Damaged, p.Damaged)
		addAll(s.Unknown, p.Unknown)
		for _, m := range p.Suspicions {
			of := suspicions.of(m.Kind, SuspicionKind{Kind: m.Kind.String()})
			if of.Markets++; len(of.Examples) < maxExamples {
				of.Examples = append(of.Examples, Suspicious{p.Name, p.Bookmaker, m.Fixture, m.Key, m.Canonical, m.Period, m.Subject, m.Seen})
			}
		}
		for k := range p.Markets {
			m := &p.Markets[k]
			if m.WithoutPrices {
				continue
			}
			example := func(reason football.Reason) Example {
				return Example{p.Name, p.Bookmaker, m.Fixture, m.Examples[reason]}
			}
			result := Result{m.Key, m.Name, m.Canonical, m.Period, m.Subject, m.RawReason}
			outcomes.of(result, Outcome{result, Counts{Reasons: map[football.Reason]int{}}}).add(m)
			if m.RawReason != "" {
				r := raw.of(Result{Key: m.Key, Name: m.Name, Reason: m.RawReason}, RawName{Key: m.Key, Name: m.Name, Reason: m.RawReason, Example: example(football.MarketNotMapped)})
				r.Markets, r.Selections = r.Markets+1, r.Selections+m.Selections
			}
			for reason, n := range m.Reasons {
				s.Reasons[string(reason)] += n
				if m.RawReason == "" && !isNotOnOffer(reason) {
					of := Unpublished{Reason: reason, Key: m.Key, Market: m.Canonical, Period: m.Period, Subject: m.Subject}
					first := of
					first.Example = example(reason)
					unpublished.of(of, first).Selections += n
				}
			}
		}
	}
	s.Nameless = len(nameless)
	s.Outcomes = append(s.Outcomes, outcomes.all...)
	slices.SortFunc(s.Outcomes, func(a, b Outcome) int { return a.Compare(b.Result) })
	s.Raw = append(s.Raw, raw.all...)
	slices.SortFunc(s.Raw, func(a, b RawName) int {
		return cmp.Or(cmp.Compare(b.Markets, a.Markets), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	s.Unpublished = append(s.Unpublished, unpublished.all...)
	slices.SortFunc(s.Unpublished, func(a, b Unpublished) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(b.Selections, a.Selections), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Market, b.Market),
			cmp.Compare(a.Period, b.Period), cmp.Compare(a.Subject, b.Subject))
	})
	for _, kind := range slices.Sorted(maps.Keys(suspicions.at)) {
		s.Suspicions = append(s.Suspicions, suspicions.all[suspicions.at[kind]])
	}
	return s
}

// Equal reports whether two counts are the same.
func (c Counts) Equal(o Counts) bool {
	return c.Markets == o.Markets && c.Selections == o.Selections && c.Publishable == o.Publishable && maps.Equal(c.Reasons, o.Reasons)
}

func (c *Counts) add(m *Market) {
	c.Markets++
	c.Selections += m.Selections
	c.Publishable += m.Publishable
	for reason, n := range m.Reasons {
		if reason != football.MarketNotMapped {
			c.Reasons[reason] += n
		}
	}
}

func addAll(to, counts map[string]int) {
	for name, n := range counts {
		to[name] += n
	}
}

// Percent writes a share, rounded down: only all of it is 100 %.
func Percent(part, whole int) string {
	if whole == 0 {
		return "none"
	}
	tenths := 1000 * part / whole
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}
