package daemon

import (
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/serve/limits"
)

// LimitsFlag adds the flag for the server that counts requests and sockets over all replicas.
// serve counts there; doctor checks it. The settings do not check the value, because they would
// print a bad one, and this one may hold a password: [Limits] checks it.
func LimitsFlag(set *cli.Settings, flags *pflag.FlagSet, url *string) {
	flags.StringVar(url, "limits", "", "Redis or Valkey that counts requests and sockets over several replicas, such as redis://10.0.0.5:6379; put a URL with a password into mkt.yaml or the variable (default: this process counts)")
	set.Bind(flags, "limits", "limits")
}

// Limits returns the address in the value of the flag. The error does not have the value.
func Limits(url string) (limits.Address, error) {
	a, err := limits.ParseAddress(url)
	if err != nil {
		return a, cli.Usagef("--limits (limits in mkt.yaml): %w", err)
	}
	return a, nil
}
