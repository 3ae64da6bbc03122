package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mkt/internal/evidence/find"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

// screen is what the demo says of itself: one screen of a terminal, and a file with the rest.
type screen struct {
	url, console string // of the API and of the console
	flags        demoFlags
	accounts     []Account
}

// envFile has names for lines to paste, the tokens of all accounts, and more such lines.
const envFile = "demo.env"

func (s *screen) path(name string) string {
	path, err := filepath.Abs(filepath.Join(s.flags.dir, name)) // another terminal is in another folder
	if err != nil {
		return name
	}
	return path
}

// print prints where to look, and what to try, on one screen.
func (s *screen) print(ctx context.Context, out io.Writer, shown *chooser) error {
	shown.mu.Lock()
	defer shown.mu.Unlock()
	if err := shown.choose(ctx); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "mkt demo: prices and matches in play of %d accounts, on emulated providers.\n\n  Open %s in a browser.\n\n", len(s.accounts), s.console)
	if s.flags.now.Sub(s.flags.begins) > s.flags.step() {
		fmt.Fprintf(&b, "It is open, and fills: the time since %s UTC is played first. Until then\na match looks stale in the terminal, and the other accounts have no data.\n", s.flags.begins.UTC().Format("15:04"))
	}
	fmt.Fprintf(&b, "Three things to try in another terminal:\n\n  . %s\n", terminal.Quote(s.path(envFile)))
	fmt.Fprintf(&b, "\n  # a match in play\n  mkt live show --tenant %s\n", shown.account)
	if p := shown.price; p != nil {
		fmt.Fprintf(&b, "\n  # the path of a price: %s\n  mkt history %s --tenant %s\n", printable.Text(find.Name(p.Fixture.Home, p.Fixture.Away)), p.Market.MarketID, shown.account)
		fmt.Fprintf(&b, "\n  # a receipt of that price, for anybody, and its check\n  mkt prove %s | mkt check - --policy \"$POLICY\"\n", p.Market.Selections[0].SelectionID)
	}
	stay := "stays"
	if s.flags.temporary {
		stay = "is removed"
	}
	fmt.Fprintf(&b, "\nThat file has the rest: the API, the tokens of all accounts, more lines.\nCtrl-C ends the demo; then its folder %s.\n", stay)
	_, err := io.WriteString(out, b.String())
	return err
}

// writeFile writes the file with the rest.
func (s *screen) writeFile() error {
	text, err := s.text()
	if err != nil {
		return err
	}
	return os.WriteFile(s.path(envFile), []byte(text), 0o600)
}

func (s *screen) text() (string, error) {
	var tokens strings.Builder
	w := terminal.NewTableWriter(&tokens)
	for _, d := range s.accounts {
		fmt.Fprintf(w, "#   %s\t%s\t%s\n", d.Tenant.ID, d.Token, d.about)
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	replay := ""
	if f := s.flags; f.now.Sub(f.published()) > 2*time.Minute {
		replay = strings.NewReplacer("FROM", f.published().UTC().Add(time.Minute).Format("15:04Z"), "UNTIL", f.now.UTC().Format("15:04Z"), "AGAIN", terminal.Quote(s.path("again"))).Replace(demoReplay)
	}
	return strings.NewReplacer("BIN", terminal.Quote(filepath.Dir(program)), "URL", s.url, "CONSOLE", s.console, "MAIN", s.accounts[0].Token, "TOKENS", tokens.String(), "REPLAY", replay,
		"LIVELY", s.flags.liveEvery.String(), "EVERY", s.flags.every.String(), "SETTINGS", terminal.Quote(s.path("mkt.yaml")), "POLICYFILE", terminal.Quote(s.path("policy.txt")), "NAME", terminal.Quote(s.path(envFile))).Replace(demoEnv), nil
}

// demoEnv is the file, with the names used in README.md and docs/clients.md.
const demoEnv = `# mkt demo. In a shell: . NAME
# Prices are new every EVERY, matches in play every LIVELY.
# CONSOLE/api documents every route, and asks it for you.

export PATH=BIN:"$PATH" MKT_CONFIG=SETTINGS
POLICY=POLICYFILE
BASE=URL
TOKEN=MAIN
AUTH="Authorization: Bearer $TOKEN"

# The accounts, their tokens, and what each shows. With the token of
# "suspended" a route answers 403.
#
TOKENS#
# The API, as a client sees it:
#
#   curl -s -H "$AUTH" "$BASE/api/v1/fixtures?limit=2"
#   FX=$(curl -s -H "$AUTH" "$BASE/api/v1/live?limit=1" | grep -o 'fx_[a-z0-9]*' | head -1)
#   curl -s -H "$AUTH" "$BASE/api/v1/live/$FX/momentum"
#   mkt doctor
REPLAY`

// demoReplay are the lines to paste for the past that was published.
const demoReplay = `#
# The last hour of "main" can run again: the first line rebuilds the live
# snapshots that retention deleted, the second serves the hour at 30 times its
# speed, with a token of its own.
#
#   mkt replay --tenant main --from FROM --to UNTIL --into AGAIN
#   mkt serve --data AGAIN --tenant main --listen 127.0.0.1:0 --replay FROM..UNTIL --speed 30
`
