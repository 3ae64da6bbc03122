package daemon

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
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
	flags.StringVar(&f.listen, "admin", "", "answer /metrics, /livez and /readyz on this loopback address (default: none)")
	flags.BoolVar(&f.remote, "admin-remote", false, "allow an address for --admin that other machines reach; no token is needed there")
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
		return nil, nil, cli.ListenError(cli.Address{Flag: "admin", Value: f.listen}, err)
	}
	return s, func() {
		if err := s.Close(); err != nil {
			env.Log.Warn("close the admin address", "error", err)
		}
	}, nil
}

// Check checks the flags before anything is opened, and whether the admin address and the
// others of the command are free.
func (f AdminFlags) Check(others ...cli.Address) error {
	if f.listen == "" {
		return cli.CheckFree(others...)
	}
	if err := admin.CheckAddress(f.listen, f.remote); err != nil {
		return terminal.Usagef("--admin %w; or --admin-remote, behind a firewall", err)
	}
	return cli.CheckFree(append(others, cli.Address{Flag: "admin", Value: f.listen})...)
}
