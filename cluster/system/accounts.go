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

// enrol makes the accounts, and writes them into tenants.yaml as mkt tenant and mkt provider would
// in many commands.
func (s *System) enrol(ctx context.Context) error {
	key, err := credential.LoadIdentity(filepath.Join(s.Dir, "seal.key"))
	if err != nil {
		return err
	}
	for i := range s.Options.Accounts {
		a := Account{ID: fmt.Sprintf("account-%03d", i+1)}
		if a.Token, err = account.NewToken(nil); err != nil {
			return err
		}
		if a.sealed, err = credential.Seal(key.Recipient(), a.ID, "betsapi", []byte(s.Simulator.Ready.Token)); err != nil {
			return err
		}
		s.Accounts = append(s.Accounts, a)
	}
	if err := s.writeAccounts("tenants.yaml", func(Account) string { return s.Simulator.Ready.BaseURL }); err != nil {
		return err
	}
	_, err = s.Run(ctx, "tenant", "validate", "--seal")
	return err
}

// writeAccounts writes all accounts into a file, at addresses of the provider.
func (s *System) writeAccounts(name string, provider func(Account) string) error {
	var file strings.Builder
	file.WriteString("version: 1\ntenants:\n")
	markets, schedule := "", ""
	if s.Markets > 0 {
		markets, schedule = "market_engine: {}, ", "\n    schedule: {market_engine: '@every "+s.Markets.String()+"'}"
	}
	for _, a := range s.Accounts {
		digest := account.Digest(a.Token)
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
`, a.ID, hex.EncodeToString(digest[:]), a.Token[len(a.Token)-4:], time.Now().UTC().Format(time.RFC3339), markets, provider(a),
			credential.Hint(s.Simulator.Ready.Token), strings.ReplaceAll(strings.TrimSpace(a.sealed), "\n", "\n        "), schedule)
	}
	return os.WriteFile(filepath.Join(s.Dir, name), []byte(file.String()), 0o600)
}
