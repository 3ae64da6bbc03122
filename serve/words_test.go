package serve_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func (w *world) lists(as string) map[string][]string {
	w.t.Helper()
	var body struct{ Data map[string]json.RawMessage }
	must(w.t, json.Unmarshal([]byte(w.get("/schema", as).body), &body))
	lists := map[string][]string{}
	for name, raw := range body.Data {
		var words []string
		if json.Unmarshal(raw, &words) == nil {
			lists[name] = words
		}
	}
	return lists
}

// unlistedSets are closed sets of docs/openapi.yaml that are not vocabularies.
var unlistedSets = map[string]bool{
	"home away": true, // names of members, in "absent"
}

// Every closed set of docs/openapi.yaml which occurs in an answer is in /schema. The contract
// tests check every answer against the document, so no answer has a word outside
// /schema.
func TestSchemaListsEveryClosedSet(t *testing.T) {
	t.Parallel()
	lists := shared(t).lists("acme")
	d, err := openAPI()
	must(t, err)
	whole := map[string]string{ // schemas whose words are all those of a list
		"ErrorCode": "error_codes", "HealthStatus": "health_statuses", "HealthComponent": "health_components", "HealthCode": "health_codes",
		"ProviderErrorCode": "provider_error_codes", "ClientStatus": "client_statuses", "ProviderStatus": "provider_statuses",
		"SubscriptionStatus": "subscription_statuses", "Product": "products", "ClockPeriod": "clock_periods", "VisualState": "visual_states",
		"Side": "sides", "Certainty": "timeline_certainties", "BucketState": "bucket_states", "UnavailableReason": "unavailable_reasons", "WithdrawalReason": "withdrawal_reasons",
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.walk("#/components/schemas", d.at("#/components/schemas"), func(pointer string, m map[string]any) {
		name := strings.TrimPrefix(pointer, "#/components/schemas/")
		values, _ := m["enum"].([]any)
		var words []string
		for _, v := range values {
			if s, ok := v.(string); ok {
				words = append(words, s)
			}
		}
		if len(words) == 0 || unlistedSets[strings.Join(words, " ")] {
			return
		}
		if list, ok := whole[name]; ok {
			delete(whole, name)
			if !slices.Equal(words, lists[list]) {
				t.Errorf("%s is %q, /schema has %s %q", name, words, list, lists[list])
			}
			return
		}
		for _, list := range lists {
			if !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(list, word) }) {
				return
			}
		}
		t.Errorf("%s: no list of /schema has %q", pointer, words)
	})
	for name := range whole {
		t.Errorf("there is no schema %s", name)
	}
}

func TestServiceURLsAnswer(t *testing.T) {
	t.Parallel()
	w := shared(t)
	var body struct {
		Data struct {
			Service struct{ URLs map[string]string }
		}
	}
	must(t, json.Unmarshal([]byte(w.get("/status", "").body), &body))
	if len(body.Data.Service.URLs) == 0 {
		t.Fatal("no URLs")
	}
	for name, path := range body.Data.Service.URLs {
		if r := w.get("/"+path, "acme"); r.status != 200 {
			t.Errorf("%s is %s, which answers %d %s", name, path, r.status, r.body)
		}
	}
}
