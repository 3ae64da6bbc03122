package tenants

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"mkt/fetch/provider/all"
)

// RefusedHost returns why fetch refuses a connection's base URL, "" if it does not: a host other than
// the provider's, on a private network or not, needs allow_private_address. Names are not looked up.
func RefusedHost(p Provider) string {
	u, err := url.Parse(p.BaseURL)
	if p.BaseURL == "" || p.AllowPrivateAddress || err != nil {
		return ""
	}
	adapter, _ := all.Lookup(p.Name)
	if slices.ContainsFunc(adapter.Hosts, func(h string) bool { return strings.EqualFold(h, u.Hostname()) }) && (u.Port() == "" || u.Port() == "443") {
		return ""
	}
	if private(u.Hostname()) {
		return "is a private address"
	}
	return "is none of the provider's hosts"
}

// private reports whether a host is obviously on a private network.
func private(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") || !strings.Contains(host, ".") && net.ParseIP(host) == nil {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
}
