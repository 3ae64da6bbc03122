package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
)

// withJSON has the flags of each command that do the same with --output json, or choose what it has. The
// others must be marked by cli.TextOnly, and are refused there.
const withJSON = `
mkt: config version
mkt check: policy
mkt console: serving
mkt cycle: accept-removals all cycle product tenant
mkt demo: dir
mkt diff: data-b exit-code fixture html only product summary tenant
mkt doctor: online serving tenant
mkt explain: at product tenant
mkt feed check: mapping source
mkt fetch: all cycle product tenant
mkt gc: after-leap all dry-run product tenant
mkt history: at csv from html tenant to
mkt inspect: at columns last memory product sql tenant
mkt live list: tenant
mkt live show: html tenant
mkt log audit: from log receipt verifier-key
mkt mapping explain: provider
mkt mapping report: against bookmaker cycle participants pattern provider tenant
mkt prove: at payload product tenant
mkt provider set: allow-private-address base-url bookmaker mapping provider source yes
mkt provider unset: yes
mkt publish: accept-removals all cycle product tenant
mkt pull: all dry-run from product tenant to
mkt push: all dry-run product repair tenant
mkt recover: new-history product tenant yes
mkt replay: accept-removals from into product tenant to
mkt serve: as-of loop replay speed tenant
mkt tail: base-url every exec once position token-file verify
mkt tenant add: name product
mkt tenant delete: dry-run yes
mkt tenant limit set: burst per requests
mkt tenant log: last since
mkt tenant product set: expires starts
mkt tenant requests: refused request-id
mkt tenant revoke: yes
mkt tenant token end: issued yes
mkt tenant token rotate: yes
mkt tenant validate: seal
mkt transform: all cycle product tenant
mkt verify: all deep expect from product scratch tenant to`

// No flag is ignored where the output is JSON: each was looked at by a person, who adds a new one to
// withJSON or marks it.
func TestFlagsWithJSON(t *testing.T) {
	known, marked := map[string]bool{}, 0
	for line := range strings.Lines(strings.TrimSpace(withJSON)) {
		command, flags, _ := strings.Cut(line, ":")
		for _, name := range strings.Fields(flags) {
			known[command+" --"+name] = true
		}
	}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Hidden {
			return
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || cli.IsSetting(f) {
				return
			}
			switch name := cmd.CommandPath() + " --" + f.Name; {
			case cli.IsTextOnly(f):
				marked++
			case !known[name]:
				t.Errorf("%s: does --output json have it? Add it to withJSON, or mark it by cli.TextOnly", name)
			default:
				delete(known, name)
			}
		})
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(commands.New(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)))
	for name := range known {
		t.Errorf("%s is no flag any more", name)
	}
	if marked < 3 {
		t.Errorf("%d flags are marked", marked)
	}
}
