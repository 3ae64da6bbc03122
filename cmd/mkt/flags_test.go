package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
)

// withJSON are the flags that do the same with --output json, or choose what it has. The others must be
// marked by cli.TextOnly, and are refused there.
var withJSON = strings.Fields(`
	accept-removals action after-leap against all allow-private-address as-of at away base-url bookmaker burst by
	columns config credential-file credential-only csv cycle data-b deep dir drawings dry-run every exec exit-code
	expect expires feature fixture force from half home html into issued last listing matches memory name new-history new-key no-pager once online only origin participants pattern per position product provider repair
	requests retire scratch seal seed serving since sql starts summary tenant timeout to token-file until variants
	verify version yes`)

// No flag is ignored where the output is JSON: each was looked at by a person, who adds a new one to
// withJSON or marks it.
func TestFlagsWithJSON(t *testing.T) {
	seen, marked := map[string]bool{}, 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Hidden {
			return
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || cli.IsSetting(f) {
				return
			}
			seen[f.Name] = true
			switch known := slices.Contains(withJSON, f.Name); {
			case cli.IsTextOnly(f):
				marked++
			case !known:
				t.Errorf("%s --%s: does --output json have it? Add it to withJSON, or mark it by cli.TextOnly", cmd.CommandPath(), f.Name)
			}
		})
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(commands(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)))
	for _, name := range withJSON {
		if !seen[name] {
			t.Errorf("--%s is no flag any more", name)
		}
	}
	if marked < 3 {
		t.Errorf("%d flags are marked", marked)
	}
}
