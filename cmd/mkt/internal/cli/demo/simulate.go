package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/terminal"
)

type simulateFlags struct {
	listen   string
	provider string
	faults   []string
	options  simulator.Options
}

func newSimulate(g *Group) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Emulate a provider to develop and test against",
		Long: `Emulate a provider to develop and test against: it speaks the real one's wire
format over HTTP, with tokens, paging, quotas and errors, and is the same for
the same seed. Matches are in play from the start; --matches plays real ones
again, from a folder of counter increments, in their place. --replay serves
recorded payloads instead of a world.

--fault makes requests go wrong: 429:0.05 for one in twenty, truncated:#3 for
the third, credential:#3+ for that and all after it, html:1@markets for every
request for markets (also @listing, @live, @details):
` + faultLines(false) + `
Other faults affect matches in play, by default a few of them: stall:0.5 for
half of them, stall:0 for none:
` + faultLines(true) + ``,
		Example: `  mkt simulate --seed 7
  mkt simulate --fault 429:0.05 --fault stall:0.5`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.simulate(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9090", "listen on this address; port 0 takes a free port")
	flags.StringVar(&f.provider, "provider", emulators.Default(), "emulate this provider")
	flags.Uint64Var(&f.options.Seed, "seed", 1, "generate the answers from this seed")
	flags.IntVar(&f.options.Fixtures, "fixtures", 300, "keep this many fixtures announced")
	flags.IntVar(&f.options.InPlay, "in-play", 12, "keep about this many matches in play, one in twelve of them eSoccer (-1: only those announced)")
	flags.StringVar(&f.options.Matches, "matches", "", "play the real matches in this folder (matches.csv.gz and increments) instead of invented ones")
	flags.Float64Var(&f.options.Speed, "speed", 1, "run the simulated days, but not the quotas, this many times as fast as real time")
	flags.IntVar(&f.options.Quota, "quota", 3600, "allow an account this many requests in each window")
	flags.DurationVar(&f.options.QuotaWindow, "quota-window", time.Hour, "set the length of a window of the quota")
	flags.StringVar(&f.options.Replay, "replay", "", "serve the recorded payloads in this folder")
	flags.StringArrayVar(&f.faults, "fault", nil, "inject this fault: KIND:RATE, KIND:#NUMBER or KIND:#NUMBER+, each with an optional @CLASS (may be repeated)")
	cli.Listens(flags, "listen", &f.listen)
	boundWorld(flags, &f.options.Fixtures, &f.options.Speed)
	for _, name := range []string{"listen", "provider", "seed", "fixtures", "in-play", "speed", "quota", "quota-window", "fault"} {
		g.Settings.Bind(flags, name, "simulate."+strings.ReplaceAll(name, "-", "_"))
	}
	g.Settings.BindPath(flags, "replay", "simulate.replay")
	g.Settings.BindPath(flags, "matches", "simulate.matches")
	return cmd
}

// boundWorld restricts the flags of an invented world. Its options have a default for 0.
func boundWorld(flags *pflag.FlagSet, fixtures *int, speed *float64) {
	cli.Bound(flags, "fixtures", "a whole number from 1 to 1000000", cli.Between(fixtures, 1, 1_000_000))
	cli.Bound(flags, "speed", "a number above 0, at most 1000000", func() bool { return *speed > 0 && *speed <= 1e6 })
}

// faultLines lists the kinds of faults: those of matches in play, or those of requests.
func faultLines(ofMatches bool) string {
	var b strings.Builder
	for _, k := range simulator.FaultKinds() {
		if k.OnMatches() == ofMatches {
			fmt.Fprintf(&b, "  %-19s  %s\n", k, strings.Join(terminal.Wrap(k.About(), 56), "\n"+strings.Repeat(" ", 23)))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (g *Group) simulate(ctx context.Context, f simulateFlags) error {
	for _, text := range f.faults {
		fault, err := simulator.ParseFault(text)
		if err != nil {
			return terminal.AsUsage(err)
		}
		f.options.Faults = append(f.options.Faults, fault)
	}
	if err := cli.CheckFree(cli.Address{Flag: "listen", Value: f.listen}); err != nil {
		return err
	}
	f.options.Log = g.Log
	emulator, err := emulators.New(f.provider, f.options)
	if err != nil {
		return terminal.Usagef("simulate: %w", err)
	}
	url, done, err := simulator.Listen(ctx, emulator, f.listen)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	if err := g.printSimulator(emulators.Full(f.provider), url, emulator.Tokens()[0]); err != nil {
		return err
	}
	return <-done
}

func (g *Group) printSimulator(provider, url, token string) error {
	if g.ForScripts() {
		return g.Encode(daemon.Ready{Event: "ready", BaseURL: url, Provider: provider, Token: token})
	}
	_, err := fmt.Fprintf(g.Out, `%s simulator ready at %s
token %s

Connect an account to it, such as acme:
  printf %%s '%s' | %s provider set acme --provider %s --base-url %s --allow-private-address
`, provider, url, token, token, terminal.Self(), provider, url)
	return err
}
