package system

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mkt/fetch/credential"
	"mkt/serve/account"
)

// enrol writes tenants.yaml with all accounts at the emulated provider, as mkt tenant and
// mkt provider would in many commands, and seals it.
func (s *System) enrol(ctx context.Context) ([]Account, error) {
	key, err := credential.LoadIdentity(filepath.Join(s.Dir, "seal.key"))
	if err != nil {
		return nil, err
	}
	var file strings.Builder
	file.WriteString("version: 1\ntenants:\n")
	var list []Account
	for i := range s.Options.Accounts {
		a := Account{ID: fmt.Sprintf("account-%03d", i+1)}
		if a.Token, err = account.NewToken(nil); err != nil {
			return nil, err
		}
		sealed, err := credential.Seal(key.Recipient(), a.ID, "betsapi", []byte(s.Simulator.Ready.Token))
		if err != nil {
			return nil, err
		}
		digest := account.Digest(a.Token)
		markets, schedule := "", ""
		if s.Markets > 0 {
			markets, schedule = "market_engine: {}, ", "\n    schedule: {market_engine: '@every "+s.Markets.String()+"'}"
		}
		fmt.Fprintf(&file, `  - id: %s
    status: ACTIVE
    tokens:
      - {sha256: %s, hint: %s, issued_at: %s}
    products: {%slive_intelligence: {}}
    provider:
      name: betsapi
      base_url: %s
      allow_private_address: true
      hint: '%s'
      credential: |
        %s%s
    rate_limit: {requests: 6000, per: 1m0s, burst: 600}
`, a.ID, hex.EncodeToString(digest[:]), a.Token[len(a.Token)-4:], time.Now().UTC().Format(time.RFC3339), markets, s.Simulator.Ready.BaseURL,
			credential.Hint(s.Simulator.Ready.Token), strings.ReplaceAll(strings.TrimSpace(sealed), "\n", "\n        "), schedule)
		list = append(list, a)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "tenants.yaml"), []byte(file.String()), 0o600); err != nil {
		return nil, err
	}
	_, err = s.Run(ctx, "tenant", "validate", "--seal")
	return list, err
}
