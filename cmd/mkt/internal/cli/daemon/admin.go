package daemon

import (
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/serve/admin"
)

// AdminFlags are the flags of the admin address.
type AdminFlags struct {
	listen string // "" for none
	remote bool
}

// Flags adds them; section is their section in mkt.yaml.
func (f *AdminFlags) Flags(env *cli.Env, cmd *cobra.Command, section string) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "admin", "", "address for /metrics, /livez and /readyz, on loopback (default: none)")
	flags.BoolVar(&f.remote, "admin-remote", false, "let --admin be an address that other machines reach: it asks for no token")
	cli.Bound(flags, "admin", "HOST:PORT, such as 127.0.0.1:9081", func() bool { return f.listen == "" || admin.CheckAddress(f.listen, true) == nil })
	env.Settings.Bind(flags, "admin", section+".admin")
	env.Settings.Bind(flags, "admin-remote", section+".admin_remote")
}

// Open opens the admin server, nil without an address. close may always be called.
func (f AdminFlags) Open(env *cli.Env) (s *admin.Server, close func(), err error) {
	if f.listen == "" {
		return nil, func() {}, nil
	}
	s, err = admin.Open(admin.Options{Listen: f.listen, Remote: f.remote, Version: env.Version, Log: env.Log})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: --admin needs an address that is free", err)
	}
	return s, func() {
		if err := s.Close(); err != nil {
			env.Log.Warn("close the admin address", "error", err)
		}
	}, nil
}

// Check checks the flags before anything is opened.
func (f AdminFlags) Check() error {
	if f.listen == "" {
		return nil
	}
	if err := admin.CheckAddress(f.listen, f.remote); err != nil {
		return cli.Usagef("--admin %w; or --admin-remote, behind a firewall", err)
	}
	return nil
}
