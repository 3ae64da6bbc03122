package providertest

import (
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
)

const canary = "canary-credential/0815&x=1"

// registration checks that the transport and the stages find all they need, and
// the credential is added to requests only.
func (s Suite) registration(t *testing.T) {
	p := s.Provider
	if !regexp.MustCompile(`^[a-z0-9]+(:[a-z][a-z0-9-]*)?$`).MatchString(p.Name) {
		t.Errorf("name %q", p.Name)
	}
	base, err := url.Parse(p.BaseURL)
	switch {
	case p.AnyHost && (p.BaseURL != "" || p.Hosts != nil), !p.AnyHost && (err != nil || base.Scheme != "https" || !slices.Contains(p.Hosts, base.Hostname())):
		t.Errorf("base %q with hosts %v, any host %v", p.BaseURL, p.Hosts, p.AnyHost)
	}
	b := p.Budget
	if b.Requests <= 0 || b.Window <= 0 || b.Burst <= 0 || b.Concurrency <= 0 || b.MaxBody <= 0 {
		t.Errorf("budget %+v", b)
	}
	if p.Cycle.Markets <= 0 || (p.Cycle.Live > 0) != (p.Live != nil) {
		t.Errorf("estimate of a cycle %+v", p.Cycle)
	}
	if slices.Contains(p.Capabilities, provider.Prematch) != (p.Markets != nil) || len(p.Capabilities) == 0 {
		t.Errorf("capabilities %v, market adapter %v", p.Capabilities, p.Markets != nil)
	}
	if p.Markets == nil || p.Classify == nil || p.Authorize == nil || len(p.Probes) == 0 || p.ReadPlan == nil || p.NeededBy == nil || p.Table == nil || p.Recorded == nil || p.Bookmakers != nil && p.Bookmakers.Query == nil {
		t.Fatal("a part of the registration is missing")
	}
	if p.Markets.IsListing("") || p.Markets.IsMarkets("") || p.Markets.IsListing("no such") || p.Markets.IsMarkets("no such") {
		t.Error("an endpoint that nobody asks is taken for one")
	}
	s.authorize(t)
	s.probes(t)
	s.plan(t)
}

// probes checks that the requests that test a connection can be sent, are the same for the
// same time, and have no credential of their own. Garbage in the answers before
// them must do no harm.
func (s Suite) probes(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 59, 0, 0, time.FixedZone("west", -5*3600))
	probing := provider.Probing{Now: now, Bookmaker: s.Provider.Bookmaker("")}
	if _, ok := s.Provider.Probes[0](probing); !ok {
		t.Error("the first probe, which tests the credential, rests on an answer before it")
	}
	for _, garbage := range [][]byte{nil, []byte("<html>"), []byte("{}"), []byte("[]"), []byte(`{"data":[7],"results":[7],"response":[7]}`)} {
		for n, probe := range s.Provider.Probes {
			r, ok := probe(probing)
			if !ok {
				continue
			}
			if r.Endpoint == "" || !strings.HasPrefix(r.Path, "/") {
				t.Errorf("probe %d: %+v", n, r)
			}
			utc := probing
			utc.Now = now.UTC()
			if again, _ := probe(utc); !reflect.DeepEqual(r, again) {
				t.Errorf("probe %+v in one time zone, %+v in another", r, again)
			}
			s.isAuthorized(t, r)
			if garbage != nil {
				probing.Answers = append(probing.Answers, provider.Payload{Endpoint: r.Endpoint, Query: r.Query, FetchedAt: now, Body: garbage})
			}
		}
		probing.Answers = nil
	}
}

// isAuthorized checks that a request gets its credential from Authorize alone.
func (s Suite) isAuthorized(t *testing.T, r provider.Request) {
	q, err := http.NewRequest(http.MethodGet, s.Provider.BaseURL+r.Path+"?"+r.Query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := *q.URL
	if s.Provider.Authorize(q, canary); before.RawQuery == q.URL.RawQuery && len(q.Header) == 0 {
		t.Error("the probe is asked without a credential")
	}
}

// plan checks that every capability can be refused, and the samples show nothing
// that the provider does not sell. Unreadable bytes show nothing.
func (s Suite) plan(t *testing.T) {
	sold := s.Provider.Capabilities
	probing := provider.Probing{Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Bookmaker: s.Provider.Bookmaker("")}
	for _, probe := range s.Provider.Probes {
		if r, ok := probe(probing); ok {
			for _, c := range s.Provider.NeededBy(r) {
				if !slices.Contains(sold, c) {
					t.Errorf("%s is needed by %s, and not sold", r.Endpoint, c)
				}
			}
			for _, garbage := range []string{"", "{", "<html>", "null", "7", "[]", "{}", `{"success":1,"results":[null,7,{"stats":7,"events":"x"}]}`,
				`{"errors":[],"response":[null,7,{"events":[7,null],"statistics":{}}]}`, `{"data":[7,null,{"events":[7]}],"subscription":[7,{"plans":[7,{"plan":null}]}]}`} {
				s.shown(t, r.Endpoint, []byte(garbage))
			}
		}
	}
	if got := s.Provider.NeededBy(provider.Request{Endpoint: "no such"}); got != nil {
		t.Errorf("an endpoint that nobody asks: %v", got)
	}
	prematch := false
	for _, x := range s.Samples {
		shown := s.shown(t, x.Endpoint, x.Body)
		prematch = prematch || slices.Contains(shown, provider.Prematch)
	}
	if !prematch {
		t.Error("no sample shows the capability prematch")
	}
}

func (s Suite) shown(t *testing.T, endpoint string, body []byte) []provider.Capability {
	p := s.Provider.ReadPlan(provider.Answered{Payload: provider.Payload{Endpoint: endpoint, FetchedAt: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Body: body}})
	for _, c := range p.Includes {
		if !slices.Contains(s.Provider.Capabilities, c) {
			t.Errorf("%s shows %s, which is not sold", endpoint, c)
		}
	}
	return p.Includes
}

func (s Suite) authorize(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, s.Provider.BaseURL+"/path?q=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	before := *r.URL
	s.Provider.Authorize(r, canary)
	if r.URL.Host != before.Host || r.URL.Scheme != before.Scheme || r.URL.Path != before.Path || r.URL.Query().Get("q") != "1" {
		t.Errorf("%s became another request", before.Path)
	}
	sent := slices.Concat(r.URL.Query()["token"])
	for _, values := range r.URL.Query() {
		sent = append(sent, values...)
	}
	for _, values := range r.Header {
		sent = append(sent, values...)
	}
	if !slices.Contains(sent, canary) && !slices.Contains(sent, "Bearer "+canary) {
		t.Error("the credential is not on the request")
	}
}

// accepted checks that the transport would archive the samples.
func (s Suite) accepted(t *testing.T) {
	kinds := map[bool]int{}
	for name, x := range s.Samples {
		if v := s.Provider.Classify(http.StatusOK, http.Header{}, x.Body); v.Kind != provider.Accepted {
			t.Errorf("%s: %+v", name, v)
		}
		listing, markets := s.Provider.Markets.IsListing(x.Endpoint), s.Provider.Markets.IsMarkets(x.Endpoint)
		if listing == markets {
			t.Errorf("%s: endpoint %q is a listing (%v) and markets (%v)", name, x.Endpoint, listing, markets)
		}
		kinds[listing]++
		if _, _, err := s.read(x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("%d samples of listings, %d of markets", kinds[true], kinds[false])
	}
}

// recorded checks that prices are recognized without their request, and a list of fixtures
// is not taken for anything else. The query for each bookmaker must read its own prices.
func (s Suite) recorded(t *testing.T) {
	p := s.Provider
	for name, x := range s.Samples {
		r := p.Recorded(x.Body)
		if p.Markets.IsMarkets(r.Endpoint) != p.Markets.IsMarkets(x.Endpoint) || p.Markets.IsListing(r.Endpoint) && !p.Markets.IsListing(x.Endpoint) {
			t.Errorf("%s: it is of %s, and taken for %q", name, x.Endpoint, r.Endpoint)
			continue
		}
		if !p.Markets.IsMarkets(r.Endpoint) {
			continue
		}
		if (p.Bookmakers == nil) != (len(r.Bookmakers) == 0) {
			t.Errorf("%s: bookmakers %q", name, r.Bookmakers)
		}
		for _, bookmaker := range r.Bookmakers {
			if !p.Bookmakers.Valid(bookmaker) {
				t.Errorf("%s: no account can choose the bookmaker %q", name, bookmaker)
			}
			sheet, err := p.Markets.ReadMarkets(provider.Payload{Number: 1, Endpoint: r.Endpoint, Query: p.Bookmakers.Query(bookmaker), Body: r.Body}, provider.Listing{})
			if err != nil || len(sheet.Fixtures)+len(sheet.Broken) == 0 {
				t.Errorf("%s: %d fixtures of bookmaker %s: %v", name, len(sheet.Fixtures), bookmaker, err)
			}
		}
	}
	for _, body := range []string{"", "null", "[]", "{}", "[1]", `{"data":[null]}`, `{"results":{}}`, `{"response":[7]}`, `"text"`, "[[[[", "\xff"} {
		if r := p.Recorded([]byte(body)); r.Endpoint != "" {
			t.Errorf("%q is taken for %s", body, r.Endpoint)
		}
	}
}
