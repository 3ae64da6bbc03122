package transform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

// nulls answers as a provider does, with null in the place of some of the values in its list.
type nulls struct {
	provider http.Handler
	share    float64                     // of the values that may be null
	may      func(path, key string) bool // whether a member may be, in the answer to a request
	rng      *rand.Rand
}

func (n *nulls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	n.provider.ServeHTTP(answer, r)
	maps.Copy(w.Header(), answer.Header())
	d := json.NewDecoder(bytes.NewReader(answer.Body.Bytes()))
	d.UseNumber() // the digits stay
	var root any
	if err := d.Decode(&root); err != nil {
		panic(err)
	}
	list := root
	if envelope, ok := root.(map[string]any); ok {
		for _, name := range []string{"results", "response", "data", "fixtures"} {
			if v, ok := envelope[name]; ok {
				list = v
			}
		}
	}
	n.within(r.URL.Path, list)
	if err := json.NewEncoder(w).Encode(root); err != nil {
		panic(err)
	}
}

// within replaces values inside of v.
func (n *nulls) within(path string, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n.within(path, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch v[key].(type) {
			case []any, map[string]any:
				n.within(path, v[key])
			default:
				if n.may(path, key) && n.rng.Float64() < n.share {
					v[key] = nil
				}
			}
		}
	}
}

// If a provider sends null in many places where it always sends a value, its cycle is
// refused: otherwise markets would be lost, and fixtures have no kick-off. The rule is the same for all
// providers.
func TestNullsAreRefused(t *testing.T) {
	isPrices := func(path string) bool {
		return strings.Contains(path, "odds") || strings.Contains(path, "prematch") || strings.Contains(path, "multi") || strings.Contains(path, "markets")
	}
	isID := func(key string) bool {
		return key == "id" || key == "FI" || key == "key" || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "_key")
	}
	anywhere := func(string, string) bool { return true }
	for _, c := range []struct {
		what     string
		fixtures int
		share    float64
		may      func(path, key string) bool
		refused  bool
	}{
		{"nothing", 30, 0, anywhere, false},
		{"hardly anything", 30, 0.001, anywhere, false},
		{"values of a larger account", 30, 0.15, anywhere, true},
		{"values of a small account", 10, 0.15, anywhere, true},
		{"values but ids", 30, 0.15, func(_, key string) bool { return !isID(key) }, true},
		{"values of prices", 30, 0.15, func(path, _ string) bool { return isPrices(path) }, true},
		{"values of prices but ids", 30, 0.15, func(path, key string) bool { return isPrices(path) && !isID(key) }, true},
		{"values of the list", 30, 0.15, func(path, _ string) bool { return !isPrices(path) }, true},
		{"values of the list but ids", 30, 0.15, func(path, key string) bool { return !isPrices(path) && !isID(key) }, true},
	} {
		for _, name := range emulators.Names() {
			t.Run(fmt.Sprint(c.what, "/", name), func(t *testing.T) {
				sim, err := emulators.New(name, simulator.Options{Seed: 1, Fixtures: c.fixtures, Now: func() time.Time { return providertest.Noon }, Quota: 500_000})
				must(t, err)
				// An answer without its own ids is refused while it is fetched, anything else by transform.
				_, asked, err := marketCycle(t, name, sim.Tokens()[0], &nulls{provider: sim, share: c.share, may: c.may, rng: rand.New(rand.NewPCG(1, 2))})
				if (err != nil) != c.refused {
					t.Errorf("%+v, %v", asked, err)
				}
			})
		}
	}
}
