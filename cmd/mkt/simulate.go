package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/simulator"
)

// simulateFlags of mkt simulate.
type simulateFlags struct {
	listen   string
	provider string
	faults   []string
	options  simulator.Options
}

func newSimulate(a *app) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Run a provider to develop and test against",
		Long: `Run a provider to develop and test against: it speaks the real one's wire
format over HTTP, with tokens, paging, quotas and errors, and is the same for
the same seed. --replay serves recorded payloads instead. --fault makes things
go wrong: 429:0.05 for one request in twenty, truncated:#3 for the third,
html:1@markets for every request for markets.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{longRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.simulate(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9090", "address; port 0 takes a free one")
	flags.StringVar(&f.provider, "provider", "betsapi", "provider to speak as")
	flags.Uint64Var(&f.options.Seed, "seed", 1, "same seed, same answers")
	flags.IntVar(&f.options.Fixtures, "fixtures", 300, "fixtures announced at any time")
	flags.Float64Var(&f.options.Speed, "speed", 1, "how many times faster the world's days pass")
	flags.IntVar(&f.options.Quota, "quota", 3600, "requests an hour")
	flags.StringVar(&f.options.Replay, "replay", "", "folder of recorded payloads to serve")
	flags.StringArrayVar(&f.faults, "fault", nil, "KIND:RATE or KIND:#NUMBER, with @listing or @markets behind (repeat for several)")
	listens(flags, "listen", &f.listen)
	for _, name := range []string{"listen", "provider", "seed", "fixtures", "speed", "quota", "fault"} {
		a.set.bind(flags, name, "simulate."+name)
	}
	a.set.bindPath(flags, "replay", "simulate.replay")
	return cmd
}

func (a *app) simulate(ctx context.Context, f simulateFlags) error {
	for _, text := range f.faults {
		fault, err := simulator.ParseFault(text)
		if err != nil {
			return usageError{err}
		}
		f.options.Faults = append(f.options.Faults, fault)
	}
	f.options.Log = a.log
	handler, token, err := simulated(f.provider, f.options)
	if err != nil {
		return usageError{fmt.Errorf("simulate: %w", err)}
	}
	url, done, err := simulator.Listen(ctx, handler, f.listen)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	if err := a.printSimulator(f.provider, url, token); err != nil {
		return err
	}
	return <-done
}

// simulated makes the simulator of a provider and the token it accepts.
func simulated(provider string, o simulator.Options) (http.Handler, string, error) {
	if provider != "betsapi" {
		return nil, "", fmt.Errorf("provider %q: want betsapi", provider)
	}
	sim, err := betsapi.NewSimulator(o)
	if err != nil {
		return nil, "", err
	}
	return sim, sim.Tokens()[0], nil
}

func (a *app) printSimulator(provider, url, token string) error {
	if a.forScripts() {
		return json.NewEncoder(a.out).Encode(listening{Event: "ready", BaseURL: url, Provider: provider, Token: token})
	}
	_, err := fmt.Fprintf(a.out, `%s simulator ready at %s
token %s

Connect a tenant to it:
  printf %%s '%s' | mkt provider set ID --provider %s --base-url %s --allow-private-address
`, provider, url, token, token, provider, url)
	return err
}
