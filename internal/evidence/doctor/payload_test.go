package doctor_test

import (
	"strings"
	"testing"

	"mkt/internal/accounts"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/health"
)

const payloadReport = `{"format": 1, "source": {"provider": "betsapi"}, "cycle": "20261120T100700Z-market_engine", "changes": [
	{"kind": "field_gone", "answers": "bet365/prematch", "name": "results.goals", "since": "2026-11-20T09:07:00Z", "after": "20261120T080700Z-market_engine", "has": 513, "of": 515},
	{"kind": "market_new", "name": "k", "title": "Kick\u001b[1m", "since": "2026-11-20T10:07:00Z", "after": "20261120T090700Z-market_engine", "has": 9, "of": 26}],
	"lost_markets": 408, "lost_fixtures": 25}`

// A sentence names a few changes, and what is lost.
func TestPayloadChange(t *testing.T) {
	account := &accounts.Tenant{Provider: &accounts.Provider{Name: "betsapi"}}
	field := `{"kind": "field_gone", "answers": "odds", "name": "a.b", "since": "2026-11-29T14:00:00Z", "has": 99, "of": 100}`
	market := `{"kind": "market_gone", "name": "full_time_result", "title": "Full Time Result", "since": "2026-11-29T14:00:00Z", "has": 99, "of": 100}`
	for report, want := range map[string]string{
		`{"format": 1, "source": {"provider": "betsapi"}}`: "",
		payloadReport: `since 20 Nov 09:07 UTC the answers lack "results.goals" (bet365/prematch; 99 % had it in the week before); no rule maps the new market "Kick\x1b[1m", "k" (in 9 of 26 fixtures); ` +
			`about 408 markets of 25 fixtures that were mapped are gone or RAW`,
		`{"format": 1, "source": {"provider": "betsapi"}, "changes": [` + market + `]}`: `since 29 Nov 14:00 UTC no fixture has the market "Full Time Result", "full_time_result" (99 % had it in the week before); no mapped market is lost`,
		`{"format": 1, "source": {"provider": "betsapi"}, "live": true, "lost_fixtures": 1, "changes": [` + field + `,` + field + `,` + field + `,` + market + `]}`: `since 29 Nov 14:00 UTC the answers lack "a.b" (odds; 99 % had it in the week before), ` +
			`"a.b" (odds; 99 % had it in the week before), and 1 more; statistics are missing in about 1 fixture in play`,
		`{"format": 1, "source": {"provider": "betsapi"}, "changes": [{"kind": "field_new", "answers": "odds", "name": "` + strings.Repeat("a", 500) + `", "since": "2026-11-29T14:00:00Z", "has": 9, "of": 9}]}`: `since 29 Nov 14:00 UTC ` +
			`the answers have a new "` + strings.Repeat("a", 59) + `…" (odds); no mapped market is lost`,
	} {
		mem := durabletest.NewMem()
		check.Must(t, health.OverwriteState(mem, "state/payload.json", []byte(report)))
		if got, err := doctor.PayloadChange(mem, account); got != want || err != nil {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	if got, err := doctor.PayloadChange(durabletest.NewMem(), account); got != "" || err != nil {
		t.Error(got, err)
	}
}
