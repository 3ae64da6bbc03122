package serving

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/account"
)

// Flags are the flags of mkt serve.
type Flags struct {
	Listen string
	Poll   time.Duration
	// storePoll is how often the object store is asked for newer publications.
	storePoll time.Duration
	redis     cli.Redis
	cache     string
	Usage     string
	drain     time.Duration
	admin     daemon.AdminFlags
	socket    realtimeFlags
	past      pastFlags
	replica   string
	// Extensions are offered besides version 1 of the API.
	Extensions []string

	connections connectionFlags
}

func newServe(g *Group) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer the API from the newest snapshots",
		Long: `Answer the API from the newest snapshots below the data root. New snapshots
and changes of tenants.yaml take effect while it runs. It opens no key and
writes nothing into the data root but its usage counters and the newest
requests of each account. On SIGTERM requests under way finish, new ones get
503, and the exit code is 0.

With --store the data root is a copy of the newest publications in the object
store, and is kept up to date: two of each account's product. If the store
is away, what was copied is served. With --redis the workers announce every
publication, which is then served within a second.`,
		Example: `  mkt serve --listen :8080 --admin 127.0.0.1:9081
  mkt serve --listen 127.0.0.1:8081 --as-of 2026-11-21T14:05:00Z
  mkt serve --listen 127.0.0.1:8081 --replay 18:00Z..21:30Z --speed 30`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.Serve(cmd.Context(), f, g.printServing) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Listen, "listen", "127.0.0.1:8080", "listen on this address; port 0 takes a free port")
	flags.DurationVar(&f.Poll, "poll", 500*time.Millisecond, "look for new snapshots this often")
	flags.DurationVar(&f.storePoll, "store-poll", 15*time.Second, "ask the object store for newer publications this often")
	f.redis.Flag(g.Settings, cmd)
	flags.StringVar(&f.cache, "cache", "", "write the engine's files to this private folder (default: a temporary one)")
	flags.StringVar(&f.Usage, "usage-dir", "", "write the usage counters and the newest requests to this folder (default: usage below the data root)")
	flags.StringVar(&f.replica, "replica", "", "write usage counters under this name, which no other process that serves has (default: the host's name and the port)")
	flags.StringSliceVar(&f.Extensions, "extensions", nil, "offer these extensions of the API to the accounts that have them enabled: "+strings.Join(account.Extensions(), ", "))
	flags.DurationVar(&f.drain, "drain-delay", 0, "answer requests for this long after SIGTERM, while /readyz answers 503, so that a load balancer notices")
	cli.Listens(flags, "listen", &f.Listen)
	cli.Bound(flags, "poll", "a duration from 10ms to 1m, such as 500ms", cli.Between(&f.Poll, 10*time.Millisecond, time.Minute))
	cli.Bound(flags, "store-poll", "a duration from 1s to 1h, such as 15s", cli.Between(&f.storePoll, time.Second, time.Hour))
	cli.Bound(flags, "drain-delay", "a duration from 0s to 15s, such as 5s", cli.Between(&f.drain, 0, 15*time.Second))
	cli.Bound(flags, "replica", "1 to 63 of a-z, 0-9, hyphens and underscores, such as web-1", func() bool { return f.replica == "" || serve.ValidReplica(f.replica) })
	g.Settings.Bind(flags, "extensions", "serve.extensions")
	g.Settings.Bind(flags, "listen", "serve.listen")
	g.Settings.Bind(flags, "poll", "serve.poll")
	g.Settings.Bind(flags, "store-poll", "serve.store_poll")
	g.Settings.BindPath(flags, "cache", "serve.cache")
	g.Settings.BindPath(flags, "usage-dir", "serve.usage_dir")
	g.Settings.Bind(flags, "replica", "serve.replica")
	g.Settings.Bind(flags, "drain-delay", "serve.drain_delay")
	daemon.ServiceFlags(g.Settings, cmd, &g.service)
	f.admin.Flags(g.Env, cmd, "serve")
	f.socket.flags(g, flags)
	f.connections.flags(g, flags)
	f.past.flags(cmd)
	return cmd
}

// Serve answers until ctx is done. It calls ready when it is ready.
func (g *Group) Serve(ctx context.Context, f Flags, ready func(daemon.Ready)) error {
	if err := errors.Join(f.socket.check(), f.past.check(f.Listen)); err != nil {
		return err
	}
	for _, name := range f.Extensions {
		if err := terminal.CheckWord("--extensions", name, account.Extensions()...); err != nil {
			return err
		}
	}
	if err := f.admin.Check(cli.Address{Flag: "listen", Value: f.Listen}); err != nil {
		return err
	}
	shared, err := f.redis.Address()
	if err != nil {
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
	then, err := g.clock(f.past)
	if err != nil {
		return err
	}
	if err := g.checkDataRoot(); err != nil {
		return err
	}
	tokens, err := g.runTokensOf(file, f.past)
	if err != nil {
		return err
	}
	registry := new(account.Registry)
	if err := g.swap(registry, tokens.in(file)); err != nil {
		return err
	}
	copies, err := g.openReplica(ctx, f, registry, then.IsPast())
	if err != nil {
		return err
	}
	adminServer, closeAdmin, err := f.admin.Open(g.Env)
	if err != nil {
		return err
	}
	defer closeAdmin()
	edits := daemon.NewReloads(g.Env)
	adminURL := ""
	if adminServer != nil {
		adminURL = adminServer.URL()
		adminServer.Metrics.MustRegister(edits.Collectors()...)
		if copies != nil {
			s, _ := g.Store(ctx) // it was opened
			adminServer.Metrics.MustRegister(append(replicaCollectors(copies), daemon.StoreCollectors(s)...)...)
		}
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop() // last: revocations apply to requests until the end
	go edits.Watch(watching, file, func(file *accounts.File) error { return g.swap(registry, tokens.in(file)) })
	closeNews, err := g.follow(watching, f.redis, copies)
	if err != nil {
		return err
	}
	defer closeNews()
	o := serve.Options{
		Listen: f.Listen, DataDir: g.Data, Clock: then, Replay: g.replay(ctx, f.past), Extensions: f.Extensions, Accounts: registry, Now: g.Now, Log: g.Log, Poll: f.Poll, CacheDir: f.cache,
		Connections: f.connections.most, ConnectionsPerAddress: f.connections.perAddress, TrustedProxies: proxies,
		UsageDir: f.Usage, Replica: f.replica, Limits: shared, Service: g.service, Words: daemon.ProviderWords(), Realtime: f.socket.options(), Admin: adminServer, DrainDelay: f.drain, Ready: func(baseURL string) {
			ready(daemon.Ready{Event: "ready", BaseURL: baseURL, AdminURL: adminURL, Tokens: tokens.printed})
		},
	}
	if copies != nil {
		o.Fetch = copies.Fetch
	}
	return serve.Run(ctx, o)
}

// checkDataRoot warns if the data root has no accounts, and returns an error if it cannot be
// read.
func (g *Group) checkDataRoot() error {
	info, err := os.Stat(g.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data root: %w: give this user the right to read it, or name another with --data", err)
	}
	if err == nil && !info.IsDir() {
		return terminal.Usagef("data root %s: not a folder: name another with --data", g.Data)
	}
	accounts, err := fs.Glob(os.DirFS(g.Data), layout.Tenant("*"))
	if err != nil {
		return fmt.Errorf("data root %s: %w", g.Data, err)
	}
	if len(accounts) == 0 {
		g.Log.Warn("the data root holds no account yet: nothing is served until a cycle has published; check that --data names the right folder", "data", g.Data)
	}
	return nil
}

func (g *Group) swap(registry *account.Registry, f *accounts.File) error {
	generation, err := account.NewGeneration(g.revoked.Apply(f, g.Log).Accounts(g.Now()))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	registry.Swap(generation)
	return nil
}

func (g *Group) printServing(l daemon.Ready) {
	if g.ForScripts() {
		g.Encode(l)
		return
	}
	fmt.Fprintf(g.Out, "mkt serve ready at %s/api/v1\n", l.BaseURL)
	if l.AdminURL != "" {
		fmt.Fprintf(g.Out, "metrics at %s/metrics\n", l.AdminURL)
	}
	if len(l.Tokens) > 0 {
		fmt.Fprintln(g.Out, "\ntokens of this run, which end with it:")
		w := terminal.NewTableWriter(g.Out)
		for _, t := range l.Tokens {
			printable.Fprintf(w, "  %s\t%s\n", t.ID, t.Token)
		}
		w.Flush()
	}
}

type connectionFlags struct {
	most       int
	perAddress int
	proxies    []string
}

func (f *connectionFlags) flags(g *Group, flags *pflag.FlagSet) {
	flags.IntVar(&f.most, "connections", 0, "accept this many connections at once (default: 40000, fewer where the limit of open files is low)")
	flags.IntVar(&f.perAddress, "connections-per-address", 0, "accept this many connections of one address at once (default: three quarters of --connections)")
	flags.StringSliceVar(&f.proxies, "trusted-proxies", nil, "trust the X-Forwarded-For of reverse proxies at these addresses, such as 127.0.0.1 or 10.0.0.0/8")
	cli.Bound(flags, "connections", "a whole number from 0 to 1000000", cli.Between(&f.most, 0, 1_000_000))
	cli.Bound(flags, "connections-per-address", "a whole number from 0 to 1000000", cli.Between(&f.perAddress, 0, 1_000_000))
	g.Settings.Bind(flags, "connections", "serve.connections")
	g.Settings.Bind(flags, "connections-per-address", "serve.connections_per_address")
	g.Settings.Bind(flags, "trusted-proxies", "serve.trusted_proxies")
}

func (f *connectionFlags) trusted() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range f.proxies {
		p, err := netip.ParsePrefix(text)
		if a, plain := netip.ParseAddr(text); plain == nil {
			p, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, terminal.Usagef("--trusted-proxies %q: want an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
