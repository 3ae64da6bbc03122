package reading

import (
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/payloads"
)

// Observed counts what the answers of a cycle have: members and markets. A nil Observed counts nothing.
// It is safe for concurrent use, but each goroutine needs an Observer of its own.
type Observed struct {
	mu  sync.Mutex
	all []*Observer
}

// Observer counts for one goroutine. A nil Observer counts nothing.
type Observer struct {
	fields   *provider.Fields
	fixtures int
	markets  map[string]*observedMarket
}

// observedMarket counts a fixture once: the last ones counted are remembered.
type observedMarket struct {
	payloads.Market
	has, unknown, usable int
}

// Observer returns a new observer of a provider's answers.
func (o *Observed) Observer(p *provider.Provider) *Observer {
	if o == nil {
		return nil
	}
	one := &Observer{fields: p.NewFields(), markets: make(map[string]*observedMarket)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, one)
	return one
}

// Fields returns what counts the members of an answer while it is parsed.
func (o *Observer) Fields() *provider.Fields {
	if o == nil {
		return nil
	}
	return o.fields
}

// Fixture counts the markets of a fixture.
func (o *Observer) Fixture(f *football.Fixture, derived []football.Market) {
	if o == nil {
		return
	}
	o.fixtures++
	for i := range derived {
		m := &derived[i]
		name := nameOf(f, m)
		one := o.markets[name]
		if one == nil {
			one = new(observedMarket)
			o.markets[strings.Clone(name)] = one
		}
		if title := m.Name.Or(""); isBefore(title, one.Title) {
			one.Title = strings.Clone(title)
		}
		once(&one.Has, &one.has, o.fixtures)
		if m.RawReason == football.UnknownMarket {
			once(&one.Unknown, &one.unknown, o.fixtures)
		}
		if isUsable(m) {
			one.Usable++
			once(&one.UsableIn, &one.usable, o.fixtures)
		}
	}
}

// isBefore reports whether a title is taken in place of another one. It does not depend on which was read first.
func isBefore(title, other string) bool { return title != "" && (other == "" || title < other) }

// isUsable reports whether a market is mapped and has a selection that can be published.
func isUsable(m *football.Market) bool {
	if m.Origin != football.Mapped {
		return false
	}
	for i := range m.Selections {
		if m.Selections[i].Quality.Publishable {
			return true
		}
	}
	return false
}

// Unreadable counts fixtures of which nothing could be read.
func (o *Observer) Unreadable(fixtures int) {
	if o != nil {
		o.fixtures += fixtures
	}
}

func once(n, last *int, fixture int) {
	if *last != fixture {
		*last = fixture
		*n++
	}
}

// nameOf returns what the markets of one kind have in common: their key, or their name without the teams if the
// key is an id.
func nameOf(f *football.Fixture, m *football.Market) string {
	name := m.Name.Or("")
	if name == "" || len(m.ProviderMarketIDs) == 0 || !strings.HasPrefix(m.Key, m.ProviderMarketIDs[0]) {
		return m.Key
	}
	for _, team := range []football.Field[string]{f.Home, f.Away} {
		if text := team.Or(""); text != "" {
			name = strings.ReplaceAll(name, text, "…")
		}
	}
	return name
}

// InPlay counts matches in play whose statistics were asked for, and those of them that have some.
func (o *Observer) InPlay(samples []input.Sample) {
	if o == nil {
		return
	}
	statistics := new(observedMarket)
	o.markets["statistics"] = statistics
	for i := range samples {
		if s := &samples[i]; s.Status == input.InPlay && !s.CountersNotAsked {
			o.fixtures++
			statistics.Has++
			if len(s.Counters) > 0 {
				statistics.Usable++
				statistics.UsableIn++
			}
		}
	}
}

// Add adds the counts to an observation.
func (o *Observed) Add(to *payloads.Observation) {
	fields := make([]*provider.Fields, 0, len(o.all))
	to.Markets = make(map[string]payloads.Market)
	for _, one := range o.all {
		fields = append(fields, one.fields)
		to.Fixtures += one.fixtures
		for name, m := range one.markets {
			sum := to.Markets[name]
			if isBefore(m.Title, sum.Title) {
				sum.Title = m.Title
			}
			sum.Has, sum.Unknown, sum.Usable, sum.UsableIn = sum.Has+m.Has, sum.Unknown+m.Unknown, sum.Usable+m.Usable, sum.UsableIn+m.UsableIn
			to.Markets[name] = sum
		}
	}
	to.Answers = make(map[string]map[string]payloads.Field)
	for endpoint, counts := range provider.Join(fields...) {
		to.Answers[endpoint] = make(map[string]payloads.Field, len(counts))
		for path, f := range counts {
			to.Answers[endpoint][path] = payloads.Field(f)
		}
	}
}
