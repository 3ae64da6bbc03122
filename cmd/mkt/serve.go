package main

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

	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/all"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/account"
)

// serveFlags of mkt serve.
type serveFlags struct {
	listen string
	poll   time.Duration
	cache  string
	usage  string
	drain  time.Duration
	admin  adminFlags
	socket realtimeFlags
	past   pastFlags

	connections connectionFlags
}

func newServe(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer the API from the newest snapshots",
		Long: `Answer the API from the newest snapshots below the data root. New snapshots and
changes of tenants.yaml are picked up while it runs. It opens no key and writes
nothing into the data root but its usage counters. On SIGTERM requests under way
finish, new ones are told 503, and the exit code is 0.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{longRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f, a.printServing) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address; port 0 takes a free one")
	flags.DurationVar(&f.poll, "poll", 500*time.Millisecond, "how often new snapshots are looked for")
	flags.StringVar(&f.cache, "cache", "", "private folder for the engine's files (default: a temporary one)")
	flags.StringVar(&f.past.asOf, "as-of", "", "answer as it was then, on loopback, with a clock that stands there: a time like 2026-11-21T14:05:00Z or a cycle id; with one account and product also latest~2 or v17")
	flags.StringVar(&f.usage, "usage-dir", "", "folder for the usage counters (default: usage below the data root)")
	flags.DurationVar(&f.drain, "drain-delay", 0, "how long, when told to stop, requests are still answered while /readyz says 503: for a load balancer to see it")
	listens(flags, "listen", &f.listen)
	bound(flags, "poll", "a duration from 10ms to 1m, such as 500ms", between(&f.poll, 10*time.Millisecond, time.Minute))
	bound(flags, "drain-delay", "a duration from 0s to 15s, such as 5s", between(&f.drain, 0, 15*time.Second))
	a.set.bind(flags, "listen", "serve.listen")
	a.set.bind(flags, "poll", "serve.poll")
	a.set.bindPath(flags, "cache", "serve.cache")
	a.set.bindPath(flags, "usage-dir", "serve.usage_dir")
	a.set.bind(flags, "drain-delay", "serve.drain_delay")
	serviceFlags(a.set, cmd, &a.service)
	f.admin.flags(a, cmd, "serve")
	f.socket.flags(a, flags)
	f.connections.flags(a, flags)
	return cmd
}

// serve answers until ctx ends; ready is called when it does.
func (a *app) serve(ctx context.Context, f serveFlags, ready func(listening)) error {
	if err := errors.Join(f.admin.check(), f.socket.check(), f.past.check(f.listen)); err != nil {
		return err
	}
	proxies, err := f.connections.trusted()
	if err != nil {
		return err
	}
	file, err := a.loadTenants()
	if err != nil {
		return err
	}
	asOf, err := a.past(f.past)
	if err != nil {
		return err
	}
	if err := a.checkDataRoot(); err != nil {
		return err
	}
	tokens, err := a.runTokensOf(file, asOf)
	if err != nil {
		return err
	}
	registry := new(account.Registry)
	if err := a.swap(registry, tokens.in(file)); err != nil {
		return err
	}
	door, closeDoor, err := f.admin.open(a)
	if err != nil {
		return err
	}
	defer closeDoor()
	edits := newReloads(a)
	adminURL := ""
	if door != nil {
		adminURL = door.URL()
		door.Metrics.MustRegister(edits.collectors()...)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop() // a right that is lost while requests are still answered is lost
	go edits.watch(watching, file, func(file *tenants.File) error { return a.swap(registry, tokens.in(file)) })
	return serve.Run(ctx, serve.Options{
		Listen: f.listen, DataDir: a.data, AsOf: asOf, Accounts: registry, Now: a.now, Log: a.log, Poll: f.poll, CacheDir: f.cache,
		Connections: f.connections.most, ConnectionsPerAddress: f.connections.perAddress, TrustedProxies: proxies,
		UsageDir: f.usage, Service: a.service, Words: providerWords(), Realtime: f.socket.Realtime, Admin: door, DrainDelay: f.drain, Ready: func(baseURL string) {
			ready(listening{Event: "ready", BaseURL: baseURL, AdminURL: adminURL, Tokens: tokens.printed})
		},
	})
}

// checkDataRoot warns of a data root that is not there yet, and refuses one that can
// never be read.
func (a *app) checkDataRoot() error {
	info, err := os.Stat(a.data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data root: %w: give this user the right to read it, or name another with --data", err)
	}
	if err == nil && !info.IsDir() {
		return usagef("data root %s: not a folder: name another with --data", a.data)
	}
	accounts, err := fs.Glob(os.DirFS(a.data), layout.Tenant("*"))
	if err != nil {
		return fmt.Errorf("data root %s: %w", a.data, err)
	}
	if len(accounts) == 0 {
		a.log.Warn("the data root holds no account yet: nothing is served until a cycle has published; is it the one that is meant (--data)?", "data", a.data)
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
func (a *app) swap(registry *account.Registry, f *tenants.File) error {
	generation, err := account.NewGeneration(a.final.hold(f, a.log).Accounts(a.now()))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	registry.Swap(generation)
	return nil
}

func (a *app) printServing(l listening) {
	if a.forScripts() {
		json.NewEncoder(a.out).Encode(l)
		return
	}
	fmt.Fprintf(a.out, "mkt serve ready at %s/api/v1\n", l.BaseURL)
	if l.AdminURL != "" {
		fmt.Fprintf(a.out, "metrics at %s/metrics\n", l.AdminURL)
	}
	if len(l.Tokens) > 0 {
		fmt.Fprintln(a.out, "\ntokens of this run, which end with it:")
		w := newTableWriter(a.out)
		for _, t := range l.Tokens {
			plain.Fprintf(w, "  %s\t%s\n", t.ID, t.Token)
		}
		w.Flush()
	}
}
