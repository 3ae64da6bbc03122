package main

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// A provider that refused is not asked by a tick for most of an hour, unless
// somebody found otherwise or set another credential.
func TestRefusedIsHeldBack(t *testing.T) {
	const (
		market = "market_engine"
		live   = "live_intelligence"
		test   = ""
	)
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	type finding struct {
		of    string // product, or test
		after time.Duration
		code  string // "" = good
		other bool   // with another credential
	}
	for name, c := range map[string]struct {
		found []finding
		now   time.Duration
		held  bool // the market engine's job
	}{
		"nothing known":              {nil, 0, false},
		"good":                       {[]finding{{market, 0, "", false}}, time.Minute, false},
		"refused":                    {[]finding{{market, 0, "CREDENTIAL_REJECTED", false}}, time.Minute, true},
		"nearly an hour later":       {[]finding{{market, 0, "CREDENTIAL_REJECTED", false}}, 55 * time.Minute, false},
		"refused in another run":     {[]finding{{live, 0, "CREDENTIAL_REJECTED", false}}, time.Minute, true},
		"refused in a test":          {[]finding{{market, 0, "", false}, {test, time.Second, "CREDENTIAL_REJECTED", false}}, time.Minute, true},
		"accepted since":             {[]finding{{market, 0, "CREDENTIAL_REJECTED", false}, {test, time.Second, "", false}}, time.Minute, false},
		"another credential since":   {[]finding{{market, 0, "CREDENTIAL_REJECTED", true}}, time.Minute, false},
		"not bought":                 {[]finding{{market, 0, "PERMISSION_DENIED", false}}, time.Minute, true},
		"another product not bought": {[]finding{{live, 0, "PERMISSION_DENIED", false}}, time.Minute, false},
		"not bought, tested since":   {[]finding{{market, 0, "PERMISSION_DENIED", false}, {test, time.Second, "", false}}, time.Minute, false},
		"not bought, the other was":  {[]finding{{market, 0, "PERMISSION_DENIED", false}, {live, time.Second, "", false}}, time.Minute, true},
		"not reached":                {[]finding{{market, 0, "PROVIDER_UNREACHABLE", false}}, time.Minute, false},
		"quota used up":              {[]finding{{market, 0, "RATE_LIMITED", false}}, time.Minute, false},
		"the clock was set back":     {[]finding{{market, time.Hour, "CREDENTIAL_REJECTED", false}}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			table, done, _ := newTestTimetable(t, 0, 0)
			table.app.now = func() time.Time { return at.Add(c.now) }
			acme, _ := table.file.Tenant("acme")
			for _, f := range c.found {
				dir, step := filepath.Join(table.app.data, layout.Tenant("acme")), health.StepProbe
				if f.of != test {
					dir, step = table.app.rootDir(job{acme, football.Product(f.of)}), health.StepFetch
				}
				fingerprint := credential.Fingerprint(acme.Provider.Credential)
				if f.other {
					fingerprint = "other"
				}
				root, err := durable.OpenRoot(dir)
				if err := errors.Join(err, health.Record(root, health.Run{Step: step, FinishedAt: at.Add(f.after), OK: f.code == "", Code: f.code,
					CredentialFingerprint: fingerprint})); err != nil {
					t.Fatal(err)
				}
			}
			if err := table.run(t.Context(), "acme/"+market); err != nil || (len(*done) == 0) != c.held {
				t.Errorf("ran %v, %v; want held back %v", *done, err, c.held)
			}
		})
	}
}
