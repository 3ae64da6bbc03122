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

// printAddress prints where to look first.
func (s *screen) printAddress(out io.Writer) error {
	text := fmt.Sprintf("mkt demo: prices and matches in play of %d accounts, on emulated providers.\n\n  Open %s in a browser.\n\n", len(s.accounts), s.console)
	if s.flags.now.Sub(s.flags.begins) > s.flags.step() {
		text += fmt.Sprintf("It fills: the time since %s UTC is played first. Then lines to paste follow.\n\n", s.flags.begins.UTC().Format("15:04"))
	}
	_, err := io.WriteString(out, text)
	return err
}

// printLines prints what to try. The lines can be pasted together, into any shell: no description is among them.
func (s *screen) printLines(ctx context.Context, out io.Writer, shown *chooser) error {
	shown.mu.Lock()
	defer shown.mu.Unlock()
	if err := shown.keep(ctx); err != nil {
		return err
	}
	name := func(home, away *string) string { return printable.Text(find.Name(home, away)) }
	about, lines := "", "  . "+terminal.Quote(s.path(envFile))+"\n"
	if m := shown.match; m != nil {
		about += fmt.Sprintf("- a match in play: %s\n", name(m.Home, m.Away))
		lines += fmt.Sprintf("  mkt live show %s --tenant %s\n", m.FixtureID, shown.account)
	}
	if p := shown.price; p != nil {
		about += fmt.Sprintf("- the path of a price: %s\n- a receipt of that price, for anybody, and its check\n", name(p.Fixture.Home, p.Fixture.Away))
		lines += fmt.Sprintf("  mkt history %s --tenant %s\n  mkt prove %s | mkt check - --policy \"$POLICY\"\n", p.Market.MarketID, shown.account, p.Market.Selections[0].SelectionID)
	}
	stay := "stays"
	if s.flags.temporary {
		stay = "is removed"
	}
	_, err := fmt.Fprintf(out, "All accounts have their data. To try in another terminal:\n%s\n%s\nThat file has the rest: the API, the tokens of all accounts, more lines.\nCtrl-C ends the demo; then its folder %s.\n", about, lines, stay)
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
	f := s.flags
	if past := f.shorten(min(replayable, f.past)); past > 2*time.Minute {
		replay = strings.NewReplacer("FROM", f.now.Add(time.Minute-past).UTC().Format("15:04Z"), "UNTIL", f.now.UTC().Format("15:04Z"), "AGAIN", terminal.Quote(s.path("again"))).Replace(demoReplay)
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
