// Package browser has the command for the console, the browser's view of an
// installation.
package browser

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/console"
	"mkt/internal/console/access"
	"mkt/internal/console/overview"
	"mkt/internal/evidence/doctor"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve"
)

// Group is the state shared with mkt demo.
type Group struct {
	*cli.Env
	Keys    cli.Keys
	service serve.Service
	apis    sync.WaitGroup // running API servers
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command { return []*cobra.Command{newConsole(&Group{Env: env})} }

// Flags are the flags of mkt console.
type Flags struct {
	Listen   string
	Doctor   doctor.Options
	Log      commitlog.Files
	usage    string        // folder; "" = usage below the data root
	Notice   func() string // on every page; nil: none
	Examples func(context.Context) ([]overview.Example, error)
	hosts    []string
	password string // file
	cert     string
	key      string
	proxy    bool
	keyless  bool
}

func newConsole(g *Group) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Show accounts, cycles, prices and matches in a browser",
		Long: `Serve pages for a browser: the accounts and what doctor finds; fixtures with
the path of every price; matches in play; cycles with their counts, refused
answers and hashes; what verify finds, and what changed between two
publications; the transparency log, with receipts of prices; and the
documentation of the API. It reads the data root and tenants.yaml, and changes
nothing. Of the log's key it reads only the verifier key beside it.

It listens on loopback. Another address needs a password, and either TLS or a
proxy that has it. Whoever can open the console sees the data of all accounts,
but no token and no credential.`,
		Example: `  mkt console
  mkt console --listen :8090 --host mkt.example.org --password-file console.pw \
      --tls-cert mkt.pem --tls-key mkt.key`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Doctor = doctor.Options{Config: g.Settings.File, Command: cli.SameCommand(cmd), ServiceName: g.service.Name, SupportEmail: g.service.SupportEmail, Keyless: f.keyless}
			return g.Serve(cmd.Context(), f, func(url string) error { return g.printReady(url, f.password != "") })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Listen, "listen", "127.0.0.1:8090", "listen on this address; port 0 takes a free port")
	flags.StringSliceVar(&f.hosts, "host", nil, "accept browsers that use these host names, besides localhost")
	flags.StringVar(&f.password, "password-file", "", "read the password that browsers are asked for from this file")
	flags.StringVar(&f.cert, "tls-cert", "", "read the certificate for TLS and its chain from this file")
	flags.StringVar(&f.key, "tls-key", "", "read the certificate's private key from this file")
	flags.BoolVar(&f.proxy, "behind-proxy", false, "leave TLS to a proxy in front, which alone reaches --listen and appends the client to X-Forwarded-For")
	flags.BoolVar(&f.keyless, "serving", false, "treat this host or user as one that only serves, without keys and without writing data")
	flags.StringVar(&f.usage, "usage-dir", "", "show the requests below this folder, which serve writes to (default: usage below the data root)")
	cli.Listens(flags, "listen", &f.Listen)
	g.Settings.Bind(flags, "listen", "console.listen")
	g.Settings.Bind(flags, "host", "console.hosts")
	g.Settings.BindPath(flags, "usage-dir", "serve.usage_dir")
	g.Settings.BindPath(flags, "password-file", "console.password_file")
	g.Settings.BindPath(flags, "tls-cert", "console.tls_cert")
	g.Settings.BindPath(flags, "tls-key", "console.tls_key")
	g.Settings.Bind(flags, "behind-proxy", "console.behind_proxy")
	g.Keys.SealFlag(g.Settings, cmd)
	g.Keys.IDFlag(g.Settings, cmd)
	cli.LogKeyFlag(&f.Log, g.Settings, cmd)
	cli.LogPolicyFlag(&f.Log, g.Settings, cmd)
	daemon.ServiceFlags(g.Settings, cmd, &g.service)
	return cmd
}

// Serve serves the console until ctx is done, and calls ready when it listens.
func (g *Group) Serve(ctx context.Context, f Flags, ready func(url string) error) error {
	rules, err := f.access()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return cli.ListenError(cli.Address{Flag: "listen", Value: f.Listen}, err)
	}
	o := f.Doctor
	o.LogKey, o.LogPolicy = f.Log.Key, f.Log.Policy
	o.Tenants, o.Data, o.SealKey, o.IDKey, o.Products, o.Now = g.Tenants, g.Data, g.Keys.Seal, g.Keys.ID, football.Products(), g.Now
	usage := cmp.Or(f.usage, filepath.Join(g.Data, serve.UsageFolder))
	o.Loads = filepath.Join(usage, serve.LoadsFolder)
	c, err := console.New(console.Options{Now: g.Now, Version: g.Version, Data: g.Data, Tenants: g.Tenants, Stored: g.HasStore(), Requests: serve.RequestsDir(usage), Log: g.Log, Access: rules, LogFiles: f.Log, Notice: f.Notice, Examples: f.Examples, Command: o.Command, StartAPI: g.startAPI,
		Doctor: func(ctx context.Context) doctor.Report { return doctor.Run(ctx, o) }})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	scheme := "http"
	if rules.Certificate != nil {
		scheme = "https"
	}
	if err := ready(scheme + "://" + l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	err = c.Serve(ctx, l)
	g.apis.Wait()
	return err
}

// access reads the password and the certificate. It refuses to show the pages to the network
// without them.
func (f Flags) access() (access.Rules, error) {
	a := access.Rules{Hosts: f.hosts, BehindProxy: f.proxy}
	if (f.cert == "") != (f.key == "") {
		return a, terminal.Usagef("--tls-cert and --tls-key: want both, or neither")
	}
	if !IsLoopback(f.Listen) {
		switch {
		case f.password == "":
			return a, terminal.Usagef("--listen %s: other machines reach it: give a password with --password-file", f.Listen)
		case f.cert == "" && !f.proxy:
			return a, terminal.Usagef("--listen %s: the password would travel unencrypted: give --tls-cert and --tls-key, or --behind-proxy if a proxy has TLS", f.Listen)
		}
	}
	var err error
	if f.password != "" {
		if a.Password, err = readPassword(f.password); err != nil {
			return a, err
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return a, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.cert, f.key, err)
		}
		a.Certificate = &pair
	}
	return a, nil
}

// Limits of a password, in bytes.
const (
	shortestPassword = 12
	longestPassword  = 1024
)

func readPassword(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	if durable.Exposed(info, os.Geteuid()) != 0 {
		return "", terminal.Usagef("--password-file %s: mode %04o: other users may read or write it: chmod 600 %s", name, info.Mode().Perm(), terminal.Quote(name))
	}
	text, err := io.ReadAll(io.LimitReader(file, longestPassword+2))
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if len(password) < shortestPassword || len(password) > longestPassword || strings.ContainsAny(password, "\r\n") {
		return "", terminal.Usagef("--password-file %s: want one line of %d to %d characters", name, shortestPassword, longestPassword)
	}
	return password, nil
}

// IsLoopback reports whether only this machine reaches an address.
func IsLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || bad == nil && ip.IsLoopback())
}

func (g *Group) printReady(url string, protected bool) error {
	if g.JSON() {
		return g.Encode(daemon.Ready{Event: "ready", BaseURL: url})
	}
	if _, err := printable.Fprintf(g.Out, "console at %s\n", url); err != nil || protected {
		return err
	}
	_, err := printable.Fprintf(g.Errs, "mkt: every user of this machine can open it: --password-file sets a password\n")
	return err
}
