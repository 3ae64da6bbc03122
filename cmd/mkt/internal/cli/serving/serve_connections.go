package serving

import (
	"net/netip"

	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
)

// connectionFlags are the bounds of what mkt serve accepts from the network.
type connectionFlags struct {
	most       int
	perAddress int
	proxies    []string
}

func (f *connectionFlags) flags(g *Group, flags *pflag.FlagSet) {
	flags.IntVar(&f.most, "connections", 0, "connections at once (default: 40000, fewer where the limit of open files is low)")
	flags.IntVar(&f.perAddress, "connections-per-address", 0, "connections at once of one address (default: three quarters of --connections)")
	flags.StringSliceVar(&f.proxies, "trusted-proxies", nil, "addresses of reverse proxies, such as 127.0.0.1 or 10.0.0.0/8: their X-Forwarded-For says who a client is")
	cli.Bound(flags, "connections", "a whole number from 0 to 1000000", cli.Between(&f.most, 0, 1_000_000))
	cli.Bound(flags, "connections-per-address", "a whole number from 0 to 1000000", cli.Between(&f.perAddress, 0, 1_000_000))
	g.Settings.Bind(flags, "connections", "serve.connections")
	g.Settings.Bind(flags, "connections-per-address", "serve.connections_per_address")
	g.Settings.Bind(flags, "trusted-proxies", "serve.trusted_proxies")
}

// trusted reads the addresses of the proxies.
func (f *connectionFlags) trusted() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range f.proxies {
		p, err := netip.ParsePrefix(text)
		if a, plain := netip.ParseAddr(text); plain == nil {
			p, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, cli.Usagef("--trusted-proxies %q: want an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
