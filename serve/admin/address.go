package admin

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// ErrRemote reports that other machines can reach an address although Options.Remote is
// not set.
var ErrRemote = errors.New("can be reached from other machines, and asks for no token")

// CheckAddress checks an address before the server listens on it. Only a loopback address
// or localhost cannot be reached by other machines; any other name counts as reachable.
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

// ownName reports whether a Host header is a loopback address or localhost. That of a web
// page whose name was made to resolve to loopback is neither.
func ownName(header string) bool {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = header
	}
	return loopback(host)
}
