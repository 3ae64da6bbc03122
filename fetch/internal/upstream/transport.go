package upstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"syscall"
)

// transport dials directly, at addresses it has checked, and speaks HTTP/1.1: one
// request a connection at a time is enough, and it is the protocol with the
// fewest ways to exhaust a client.
func (c *Client) transport() *http.Transport {
	dialer := &net.Dialer{
		Timeout:        c.limits.Connect,
		Resolver:       c.options.Resolver,
		ControlContext: c.checkAddress,
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	t := &http.Transport{
		Proxy:                  nil, // not that of the environment
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.limits.TLS,
		ResponseHeaderTimeout:  c.limits.Header,
		MaxResponseHeaderBytes: c.limits.HeaderBytes,
		DisableCompression:     true, // decompressed in this package, within bounds
		MaxConnsPerHost:        cap(c.limiter.slots),
		MaxIdleConnsPerHost:    cap(c.limiter.slots),
		IdleConnTimeout:        c.limits.Header,
		Protocols:              &protocols,
	}
	if c.options.Transport != nil {
		c.options.Transport(t)
	}
	return t
}

// checkAddress is called for each address before the connection to it, after every
// look-up: it sees a name that resolves to another address later.
func (c *Client) checkAddress(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return ErrForbidden
	}
	if !c.allowed(to.Addr()) {
		return ErrForbidden
	}
	return nil
}

// allowed reports whether an address may be connected to: public addresses for the
// provider's own hosts; with the flag also private addresses, and only those for
// another host or without TLS.
func (c *Client) allowed(a netip.Addr) bool {
	if c.options.AllowPrivateAddress && own(a) {
		return true
	}
	return known(c.options.Provider, c.base) && public(a)
}
