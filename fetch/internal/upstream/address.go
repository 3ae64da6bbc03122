package upstream

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"mkt/fetch/provider"

	"code.dny.dev/ssrf"
)

// ErrForbidden means the provider's name leads to an address that is not contacted.
var ErrForbidden = errors.New("address is not allowed")

// guardian refuses addresses other than public unicast: the special ranges of IANA's
// registries, everything of IPv6 outside 2000::/3 (where IPv4 is mapped and
// translated), and a cloud's metadata service inside a public range.
var guardian = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(prefixes("168.63.129.16/32")...)) // Azure's host

// private are the addresses that a provider with the flag may have.
var private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

// metadata6 is in a private range, and answers with an instance's credentials.
var metadata6 = prefixes("fd00:ec2::/32", "fd20:ce::/32")

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, t := range texts {
		all = append(all, netip.MustParsePrefix(t))
	}
	return all
}

// public reports whether an address is public unicast, and embeds no other.
func public(a netip.Addr) bool {
	return a.Zone() == "" && guardian.SafeAddr(a.Unmap()) == nil && !isatap(a)
}

// own reports whether an address is loopback or private.
func own(a netip.Addr) bool {
	return a.Zone() == "" && within(a.Unmap(), private) && !within(a, metadata6)
}

// isatap reports whether the lower half embeds an IPv4 address (RFC 5214).
func isatap(a netip.Addr) bool {
	b := a.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func within(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// known reports whether a base URL is one that the adapter names, on the port of
// https. An adapter that names none leaves it to the account.
func known(p provider.Provider, base *url.URL) bool {
	return base.Scheme == "https" && (p.AnyHost || (base.Port() == "" || base.Port() == "443") &&
		slices.ContainsFunc(p.Hosts, func(h string) bool { return strings.EqualFold(h, base.Hostname()) }))
}
