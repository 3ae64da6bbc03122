package admin

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// ErrRemote: other machines reach an address, and nobody said that they may.
var ErrRemote = errors.New("can be reached from other machines, and asks for no token")

// CheckAddress judges an address to listen on before anything is opened. Only an
// address of loopback is one that other machines cannot reach; a name counts as
// one that they can, but for localhost.
func CheckAddress(address string, remote bool) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q: want HOST:PORT, such as 127.0.0.1:9081", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q: want a port from 0 to 65535", address)
	}
	if !remote && !loopback(host) {
		return fmt.Errorf("%q %w: want 127.0.0.1 or [::1]", address, ErrRemote)
	}
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// ownName tells whether a Host header names this machine by number or as
// localhost: a web page that was made to resolve to loopback does neither.
func ownName(header string) bool {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = header
	}
	return loopback(host)
}
