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

// registration checks that the transport and the stages have what they need, and that
// the credential is added to requests only.
func (s Suite) registration(t *testing.T) {
	p := s.Provider
	if !regexp.MustCompile(`^[a-z0-9]+$`).MatchString(p.Name) {
		t.Errorf("name %q", p.Name)
	}
	base, err := url.Parse(p.BaseURL)
	if err != nil || base.Scheme != "https" || !slices.Contains(p.Hosts, base.Hostname()) {
		t.Errorf("base %q with hosts %v", p.BaseURL, p.Hosts)
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
	if p.Markets == nil || p.Classify == nil || p.Authorize == nil || p.Probe == nil {
		t.Fatal("a part of the registration is missing")
	}
	if p.Markets.IsListing("") || p.Markets.IsMarkets("") || p.Markets.IsListing("no such") || p.Markets.IsMarkets("no such") {
		t.Error("an endpoint that nobody asks is taken for one")
	}
	s.authorize(t)
	s.probe(t)
}

// probe checks that the request that tests a connection can be sent, is the same for
// the same time, and has no credential of its own.
func (s Suite) probe(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 59, 0, 0, time.FixedZone("west", -5*3600))
	r := s.Provider.Probe(now)
	if r.Endpoint == "" || !strings.HasPrefix(r.Path, "/") {
		t.Errorf("probe %+v", r)
	}
	if again := s.Provider.Probe(now.UTC()); !reflect.DeepEqual(r, again) {
		t.Errorf("probe %+v in one time zone, %+v in another", r, again)
	}
	q, err := http.NewRequest(http.MethodGet, s.Provider.BaseURL+r.Path+"?"+r.Query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := *q.URL
	if s.Provider.Authorize(q, canary); before.RawQuery == q.URL.RawQuery && len(q.Header) == 0 {
		t.Error("the probe is asked without a credential")
	}
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
