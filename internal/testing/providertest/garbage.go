package providertest

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"mkt/fetch/provider"
)

// noise are the bytes that damage a payload most.
const noise = "{}[]\",:\\0e-ntf \x00\xff"

// garbage checks that a payload cut off is refused, and a damaged one
// refused or read. A panic fails the test by itself.
func (s Suite) garbage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, x := range s.Samples {
		whole := bytes.TrimSpace(x.Body)
		for cut := 0; cut < len(whole); cut += 1 + len(whole)/400 {
			part := Sample{x.Endpoint, whole[:cut]}
			if _, _, err := s.read(part); err == nil {
				t.Errorf("%s cut at byte %d is read", name, cut)
			}
			if v := s.Provider.Classify(http.StatusOK, http.Header{}, part.Body); v.Kind == provider.Accepted {
				t.Errorf("%s cut at byte %d is accepted", name, cut)
			}
			if r := s.Provider.Recorded(part.Body); r.Endpoint != "" {
				t.Errorf("%s cut at byte %d is taken for %s", name, cut, r.Endpoint)
			}
		}
		canary := append(bytes.Clone(whole[:len(whole)-1]), `,"canary-0815":nonsense`...)
		if _, _, err := s.read(Sample{x.Endpoint, canary}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s with a canary: %v", name, err)
		}
		for range 300 {
			damaged := bytes.Clone(whole)
			for range 1 + random.IntN(4) {
				damaged[random.IntN(len(damaged))] = noise[random.IntN(len(noise))]
			}
			s.read(Sample{x.Endpoint, damaged})
			s.Provider.Classify(http.StatusOK, http.Header{}, damaged)
			s.Provider.Recorded(damaged)
		}
	}
}

// invalid checks that every reader refuses bytes other than an answer of the provider.
func (s Suite) invalid(t *testing.T) {
	for _, body := range append([]string{"", "<html>", "{"}, s.Invalid...) {
		p := provider.Payload{Body: []byte(body)}
		if _, err := s.Provider.Markets.ReadMarkets(p, provider.Listing{}); err == nil {
			t.Errorf("markets %q: no error", body)
		}
		if _, err := s.Provider.Markets.ReadListing([]provider.Payload{p}); err == nil {
			t.Errorf("listing %q: no error", body)
		}
		if s.Provider.Live == nil {
			continue
		}
		if _, err := s.Provider.Live.ReadDetail(p); err == nil {
			t.Errorf("live %q: no error", body)
		}
	}
}
