package listen

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// addressOf returns the IP address of a network address, or an invalid one if it has none.
func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// Network returns the unit by which connections are counted: an IPv4 address, or the /64
// network of an IPv6 address.
func Network(a netip.Addr) netip.Addr {
	if a = a.Unmap(); a.Is6() {
		p, _ := a.Prefix(64) // an error is impossible without a zone
		return p.Addr()
	}
	return a
}

// Proxies are the addresses of reverse proxies, which connect on behalf of others.
type Proxies []netip.Prefix

// Contains reports whether an address is a proxy's.
func (p Proxies) Contains(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

// Client returns the address from which a request comes: the connection's, or behind a
// proxy the last address in X-Forwarded-For that is not a proxy's. Clients can only write
// in front of the addresses that proxies add, and their own entries are ignored.
func (p Proxies) Client(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	a := at.Addr().Unmap().WithZone("")
	if !p.Contains(a) {
		return a
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		if a = hop; !p.Contains(a) {
			break
		}
	}
	return a
}

// parseHop parses an entry of X-Forwarded-For: an address, which some proxies write with a
// port, and IPv6 in brackets.
func parseHop(s string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return a.Unmap().WithZone(""), err == nil
}
