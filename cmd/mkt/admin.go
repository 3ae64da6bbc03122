package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mkt/serve/admin"
)

// adminFlags of a command that runs on.
type adminFlags struct {
	listen string // "" for none
	remote bool
}

// flags adds them; section is where mkt.yaml has them.
func (f *adminFlags) flags(a *app, cmd *cobra.Command, section string) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "admin", "", "address for /metrics, /livez and /readyz, on loopback (default: none)")
	flags.BoolVar(&f.remote, "admin-remote", false, "let --admin be an address that other machines reach: it asks for no token")
	bound(flags, "admin", "HOST:PORT, such as 127.0.0.1:9081", func() bool { return f.listen == "" || admin.CheckAddress(f.listen, true) == nil })
	a.set.bind(flags, "admin", section+".admin")
	a.set.bind(flags, "admin-remote", section+".admin_remote")
}

// open begins to answer there; nil without an address. close may always be called.
func (f adminFlags) open(a *app) (s *admin.Server, close func(), err error) {
	if f.listen == "" {
		return nil, func() {}, nil
	}
	s, err = admin.Open(admin.Options{Listen: f.listen, Remote: f.remote, Version: a.version, Log: a.log})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: --admin wants an address that is free", err)
	}
	return s, func() {
		if err := s.Close(); err != nil {
			a.log.Warn("close the admin address", "error", err)
		}
	}, nil
}

// check judges the two together, before anything is opened.
func (f adminFlags) check() error {
	if f.listen == "" {
		return nil
	}
	if err := admin.CheckAddress(f.listen, f.remote); err != nil {
		return usagef("--admin %w; or --admin-remote, behind a firewall", err)
	}
	return nil
}
