package batch

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// A refused job is retried after a minute, then later and later, if the provider accepted the
// credential before, and otherwise after most of an hour. A used-up quota is waited for. Any
// newer finding, or another credential, ends both.
func TestRefusedIsPostponed(t *testing.T) {
	const (
		market = "market_engine"
		live   = "live_intelligence"
		test   = ""
	)
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	type finding struct {
		of    string // product, or test
		after time.Duration
		code  health.Code // "" = good
		other bool        // with another credential
		quota string      // none, used up for half an hour, or left; or lacking, which is the market engine in the plan
	}
	const usedUp, left, lacking = "used up", "left", "lacking"
	for name, c := range map[string]struct {
		found []finding
		now   time.Duration
		held  bool // the market engine's job
	}{
		"nothing known":              {nil, 0, false},
		"good":                       {[]finding{{market, 0, "", false, ""}}, time.Minute, false},
		"refused":                    {[]finding{{market, 0, "CREDENTIAL_REJECTED", false, ""}}, time.Minute, true},
		"nearly an hour later":       {[]finding{{market, 0, "CREDENTIAL_REJECTED", false, ""}}, 55 * time.Minute, false},
		"refused in another run":     {[]finding{{live, 0, "CREDENTIAL_REJECTED", false, ""}}, time.Minute, true},
		"refused in a test":          {[]finding{{market, 0, "", false, ""}, {test, time.Second, "CREDENTIAL_REJECTED", false, ""}}, time.Minute, true},
		"accepted since":             {[]finding{{market, 0, "CREDENTIAL_REJECTED", false, ""}, {test, time.Second, "", false, ""}}, time.Minute, false},
		"another credential since":   {[]finding{{market, 0, "CREDENTIAL_REJECTED", true, ""}}, time.Minute, false},
		"not bought":                 {[]finding{{market, 0, "PERMISSION_DENIED", false, ""}}, time.Minute, true},
		"another product not bought": {[]finding{{live, 0, "PERMISSION_DENIED", false, ""}}, time.Minute, false},
		"not bought, tested since":   {[]finding{{market, 0, "PERMISSION_DENIED", false, ""}, {test, time.Second, "", false, ""}}, time.Minute, false},
		"tested, and still refused":  {[]finding{{market, 0, "PERMISSION_DENIED", false, ""}, {test, time.Second, "", false, lacking}}, time.Minute, true},
		"not bought, the other was":  {[]finding{{market, 0, "PERMISSION_DENIED", false, ""}, {live, time.Second, "", false, ""}}, time.Minute, true},
		"not reached":                {[]finding{{market, 0, "PROVIDER_UNREACHABLE", false, ""}}, time.Minute, false},
		"once, after it was good":    {[]finding{{of: market}, {market, time.Second, "CREDENTIAL_REJECTED", false, ""}}, 60 * time.Second, true},
		"a minute after":             {[]finding{{of: market}, {market, time.Second, "CREDENTIAL_REJECTED", false, ""}}, 61 * time.Second, false},
		"twice, after it was good":   {[]finding{{of: market}, {market, 1, "CREDENTIAL_REJECTED", false, ""}, {market, time.Minute, "CREDENTIAL_REJECTED", false, ""}}, 179 * time.Second, true},
		"two minutes after":          {[]finding{{of: market}, {market, 1, "CREDENTIAL_REJECTED", false, ""}, {market, time.Minute, "CREDENTIAL_REJECTED", false, ""}}, 181 * time.Second, false},
		"no longer bought":           {[]finding{{of: market}, {market, time.Second, "PERMISSION_DENIED", false, ""}}, 60 * time.Second, true},
		"asked a minute after":       {[]finding{{of: market}, {market, time.Second, "PERMISSION_DENIED", false, ""}}, 62 * time.Second, false},
		"limited, and nothing known": {[]finding{{market, 0, "RATE_LIMITED", false, ""}}, time.Minute, false},
		"quota used up":              {[]finding{{market, 0, "RATE_LIMITED", false, usedUp}}, 29 * time.Minute, true},
		"used up on the way":         {[]finding{{market, 0, "", false, usedUp}}, time.Minute, true},
		"used up in another run":     {[]finding{{live, 0, "", false, usedUp}}, time.Minute, true},
		"the quota is back":          {[]finding{{market, 0, "RATE_LIMITED", false, usedUp}}, 30 * time.Minute, false},
		"quota enlarged, tested":     {[]finding{{market, 0, "RATE_LIMITED", false, usedUp}, {test, time.Second, "", false, left}}, time.Minute, false},
		"enlarged, another run":      {[]finding{{market, 0, "RATE_LIMITED", false, usedUp}, {live, time.Second, "", false, left}}, time.Minute, false},
		"used up in a test":          {[]finding{{market, 0, "", false, left}, {test, time.Second, "RATE_LIMITED", false, usedUp}}, time.Minute, true},
		"another credential's quota": {[]finding{{market, 0, "RATE_LIMITED", true, usedUp}}, time.Minute, false},
		"the clock was set back":     {[]finding{{market, time.Hour, "CREDENTIAL_REJECTED", false, ""}}, 0, false},
		"set back, quota":            {[]finding{{market, time.Hour, "RATE_LIMITED", false, usedUp}}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			table, done, _ := newTestTimetable(t, 0, 0)
			table.group.Now = func() time.Time { return at.Add(c.now) }
			acme, _ := table.share.File().Tenant("acme")
			for _, f := range c.found {
				dir, step := filepath.Join(table.group.Data, layout.Tenant("acme")), health.StepProbe
				if f.of != test {
					dir, step = table.group.Dataset(acme.ID, football.Product(f.of)).Dir(), health.StepFetch
				}
				fingerprint := credential.Fingerprint(acme.Provider.Credential)
				if f.other {
					fingerprint = "other"
				}
				root, err := durable.OpenRoot(dir)
				var quota *health.Quota
				var plan *health.Plan
				switch f.quota {
				case "":
				case lacking:
					plan = &health.Plan{Capabilities: map[football.Capability]health.Evidence{football.Prematch: {At: at.Add(f.after)}}}
				default:
					found, back := at.Add(f.after), at.Add(f.after+30*time.Minute)
					quota = &health.Quota{At: found}
					if f.quota == usedUp {
						quota.UsedUpUntil = &back
					}
				}
				check.Must(t, errors.Join(err, health.Record(root, health.Run{Step: step, FinishedAt: at.Add(f.after), OK: f.code == "", Code: f.code,
					CredentialFingerprint: fingerprint, Quota: quota, Plan: plan})))
			}
			if err := table.Run(t.Context(), "acme/"+market); err != nil || (len(*done) == 0) != c.held {
				t.Errorf("ran %v, %v; want postponed %v", *done, err, c.held)
			}
		})
	}
}
