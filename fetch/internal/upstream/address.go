package upstream

import (
	"errors"
	"net/netip"
)

// ErrForbidden: the provider's name leads to an address that is not contacted.
var ErrForbidden = errors.New("address is not allowed")

// forbidden4 are the IPv4 ranges that are not public unicast.
//
// Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890 and updates),
// and metadata services of clouds inside public ranges.
var forbidden4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // Azure's host
)

// global6 is all of IPv6 that is given out as public unicast; what translates
// or maps IPv4 (::ffff:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48) lies outside.
var global6 = netip.MustParsePrefix("2000::/3")

// forbidden6 are the ranges inside it that embed another address, or are for
// documentation and protocols.
//
// Source: IANA IPv6 Special-Purpose Address Registry.
var forbidden6 = prefixes(
	"2001::/23",         // protocols: Teredo (embeds IPv4), benchmarking, ORCHID
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: embeds IPv4
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// private are the addresses a provider of one's own may have.
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

// public reports whether an address is public unicast, in no disguise.
func public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	if a = a.Unmap(); a.Is4() {
		return !within(a, forbidden4)
	}
	return global6.Contains(a) && !within(a, forbidden6) && !isatap(a)
}

// own reports whether an address is loopback or private: where a provider of
// one's own may live.
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
