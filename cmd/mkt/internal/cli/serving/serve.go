package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/all"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/account"
)

// Flags of mkt serve.
type Flags struct {
	Listen string
	Poll   time.Duration
	cache  string
	Usage  string
	drain  time.Duration
	admin  daemon.AdminFlags
	socket realtimeFlags
	past   pastFlags

	connections connectionFlags
}

func newServe(g *Group) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer the API from the newest snapshots",
		Long: `Answer the API from the newest snapshots below the data root. New snapshots and
changes of tenants.yaml are picked up while it runs. It opens no key and writes
nothing into the data root but its usage counters. On SIGTERM requests under way
finish, new ones are told 503, and the exit code is 0.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.Serve(cmd.Context(), f, g.printServing) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Listen, "listen", "127.0.0.1:8080", "address; port 0 takes a free one")
	flags.DurationVar(&f.Poll, "poll", 500*time.Millisecond, "how often new snapshots are looked for")
	flags.StringVar(&f.cache, "cache", "", "private folder for the engine's files (default: a temporary one)")
	flags.StringVar(&f.past.asOf, "as-of", "", "answer as it was then, on loopback, with a clock that stands there: a time like 2026-11-21T14:05:00Z or a cycle id; with one account and product also latest~2 or v17")
	flags.StringVar(&f.Usage, "usage-dir", "", "folder for the usage counters (default: usage below the data root)")
	flags.DurationVar(&f.drain, "drain-delay", 0, "how long, when told to stop, requests are still answered while /readyz says 503: for a load balancer to see it")
	cli.Listens(flags, "listen", &f.Listen)
	cli.Bound(flags, "poll", "a duration from 10ms to 1m, such as 500ms", cli.Between(&f.Poll, 10*time.Millisecond, time.Minute))
	cli.Bound(flags, "drain-delay", "a duration from 0s to 15s, such as 5s", cli.Between(&f.drain, 0, 15*time.Second))
	g.Settings.Bind(flags, "listen", "serve.listen")
	g.Settings.Bind(flags, "poll", "serve.poll")
	g.Settings.BindPath(flags, "cache", "serve.cache")
	g.Settings.BindPath(flags, "usage-dir", "serve.usage_dir")
	g.Settings.Bind(flags, "drain-delay", "serve.drain_delay")
	daemon.ServiceFlags(g.Settings, cmd, &g.service)
	f.admin.Flags(g.Env, cmd, "serve")
	f.socket.flags(g, flags)
	f.connections.flags(g, flags)
	return cmd
}

// serve answers until ctx ends; ready is called when it does.
func (g *Group) Serve(ctx context.Context, f Flags, ready func(daemon.Ready)) error {
	if err := errors.Join(f.admin.Check(), f.socket.check(), f.past.check(f.Listen)); err != nil {
		return err
	}
	proxies, err := f.connections.trusted()
	if err != nil {
		return err
	}
	file, err := g.LoadTenants()
	if err != nil {
		return err
	}
	asOf, err := g.past(f.past)
	if err != nil {
		return err
	}
	if err := g.checkDataRoot(); err != nil {
		return err
	}
	tokens, err := g.runTokensOf(file, asOf)
	if err != nil {
		return err
	}
	registry := new(account.Registry)
	if err := g.swap(registry, tokens.in(file)); err != nil {
		return err
	}
	door, closeDoor, err := f.admin.Open(g.Env)
	if err != nil {
		return err
	}
	defer closeDoor()
	edits := daemon.NewReloads(g.Env)
	adminURL := ""
	if door != nil {
		adminURL = door.URL()
		door.Metrics.MustRegister(edits.Collectors()...)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop() // a right that is lost while requests are still answered is lost
	go edits.Watch(watching, file, func(file *tenants.File) error { return g.swap(registry, tokens.in(file)) })
	return serve.Run(ctx, serve.Options{
		Listen: f.Listen, DataDir: g.Data, AsOf: asOf, Accounts: registry, Now: g.Now, Log: g.Log, Poll: f.Poll, CacheDir: f.cache,
		Connections: f.connections.most, ConnectionsPerAddress: f.connections.perAddress, TrustedProxies: proxies,
		UsageDir: f.Usage, Service: g.service, Words: providerWords(), Realtime: f.socket.Realtime, Admin: door, DrainDelay: f.drain, Ready: func(baseURL string) {
			ready(daemon.Ready{Event: "ready", BaseURL: baseURL, AdminURL: adminURL, Tokens: tokens.printed})
		},
	})
}

// checkDataRoot warns of a data root that is not there yet, and refuses one that can
// never be read.
func (g *Group) checkDataRoot() error {
	info, err := os.Stat(g.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data root: %w: give this user the right to read it, or name another with --data", err)
	}
	if err == nil && !info.IsDir() {
		return cli.Usagef("data root %s: not a folder: name another with --data", g.Data)
	}
	accounts, err := fs.Glob(os.DirFS(g.Data), layout.Tenant("*"))
	if err != nil {
		return fmt.Errorf("data root %s: %w", g.Data, err)
	}
	if len(accounts) == 0 {
		g.Log.Warn("the data root holds no account yet: nothing is served until a cycle has published; is it the one that is meant (--data)?", "data", g.Data)
	}
	return nil
}

// providerWords are the words of every registered provider that reach clients as
// they are, each once.
func providerWords() (w serve.Words) {
	for _, p := range all.All() {
		w.Sections = append(w.Sections, p.Sections...)
		w.ProviderMetrics = append(w.ProviderMetrics, p.Metrics...)
	}
	for _, list := range []*[]string{&w.Sections, &w.ProviderMetrics} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w
}

// swap puts a generation of accounts in force.
func (g *Group) swap(registry *account.Registry, f *tenants.File) error {
	generation, err := account.NewGeneration(g.revoked.Apply(f, g.Log).Accounts(g.Now()))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	registry.Swap(generation)
	return nil
}

func (g *Group) printServing(l daemon.Ready) {
	if g.ForScripts() {
		json.NewEncoder(g.Out).Encode(l)
		return
	}
	fmt.Fprintf(g.Out, "mkt serve ready at %s/api/v1\n", l.BaseURL)
	if l.AdminURL != "" {
		fmt.Fprintf(g.Out, "metrics at %s/metrics\n", l.AdminURL)
	}
	if len(l.Tokens) > 0 {
		fmt.Fprintln(g.Out, "\ntokens of this run, which end with it:")
		w := cli.NewTableWriter(g.Out)
		for _, t := range l.Tokens {
			plain.Fprintf(w, "  %s\t%s\n", t.ID, t.Token)
		}
		w.Flush()
	}
}
