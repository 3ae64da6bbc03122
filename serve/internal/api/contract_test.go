package api_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/serve/internal/api"
)

var must = check.Must

// Pinned: the frozen codes with their statuses, in the specification's order.
const frozenCodes = `BAD_REQUEST 400
INVALID_PARAMETER 400
INVALID_CURSOR 400
REQUEST_TOO_LARGE 413
INVALID_API_TOKEN 401
CLIENT_SUSPENDED 403
CLIENT_REVOKED 403
SUBSCRIPTION_REQUIRED 403
FEATURE_NOT_ENABLED 403
ORIGIN_NOT_ALLOWED 403
NOT_FOUND 404
FIXTURE_NOT_FOUND 404
MARKET_NOT_FOUND 404
METHOD_NOT_ALLOWED 405
CONFLICT 409
PROVIDER_NOT_CONNECTED 409
RATE_LIMITED 429
INTERNAL_ERROR 500
UPSTREAM_UNAVAILABLE 502
DATA_NOT_READY 503
SERVICE_UNAVAILABLE 503
`

func TestCodesAreFrozen(t *testing.T) {
	var b strings.Builder
	for _, c := range api.Codes() {
		fmt.Fprintln(&b, c, c.Status())
	}
	if b.String() != frozenCodes {
		t.Errorf("codes are\n%swant\n%s", b.String(), frozenCodes)
	}
}

func TestCodesMatchTheSpecification(t *testing.T) {
	spec, err := os.ReadFile(needs.Shared(t, "spec/interface-specification.md"))
	must(t, err)
	_, section, _ := strings.Cut(string(spec), "## 7. Errors")
	section, _, _ = strings.Cut(section, "## 8. Limits")
	var b strings.Builder
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([0-9]{3}) ").FindAllStringSubmatch(section, -1) {
		fmt.Fprintln(&b, m[1], m[2])
	}
	if b.String() != frozenCodes {
		t.Errorf("the specification has\n%s", b.String())
	}
}

func TestSchemaHasNoEmptyList(t *testing.T) {
	s := api.NewSchema(nil, nil)
	if len(s.ErrorCodes) != 21 || len(s.Markets) == 0 || len(s.QualityReasons) == 0 || s.DerivationVersion == "" {
		t.Errorf("%d codes, %d markets, %d reasons, derivation %q", len(s.ErrorCodes), len(s.Markets), len(s.QualityReasons), s.DerivationVersion)
	}
	if len(s.HealthCodes) == 0 || len(s.ProviderErrorCodes) == 0 || len(s.Channels) != 2 || len(s.HealthComponents) != 3 || s.Sections == nil || s.ProviderMetrics == nil {
		t.Errorf("%+v", s)
	}
	for _, list := range [][]string{s.HealthCodes, s.ProviderErrorCodes, s.QualityReasons, s.Metrics} {
		if slices.Contains(list, "") || len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
			t.Errorf("a word is empty or a duplicate: %q", list)
		}
	}
	if s.Pagination != (api.PageLimits{DefaultLimit: 50, MinLimit: 1, MaxLimit: 200}) {
		t.Errorf("pagination %+v", s.Pagination)
	}
}

// Every period that an answer may have matches the pattern of /schema.
func TestPeriodPattern(t *testing.T) {
	schema := api.NewSchema(nil, nil)
	pattern := regexp.MustCompile(schema.PeriodPattern)
	for _, p := range append(football.Periods(), "0-10", "75-90", "105-120", "", "ft", "FTX", "-10", "0-", "0-1000", football.Interval) {
		if pattern.MatchString(p) != football.ValidPeriod(p) {
			t.Errorf("%q: the pattern and the rules disagree", p)
		}
	}
	for _, term := range schema.Markets {
		for _, p := range term.Periods {
			if !slices.Contains(schema.Periods, p) {
				t.Errorf("%s: %s is not in periods", term.Market, p)
			}
		}
	}
}
