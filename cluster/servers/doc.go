// Package servers starts the engines of a cluster for its tests and for its demonstration: an
// object store, Redis, an object store without conditional writes, and a proxy that injects
// faults. It is in a module of its own. So neither the servers nor their dependencies are
// linked into mkt.
//
// Every server listens on 127.0.0.1 only.
package servers

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// given has all addresses given out by this process. The server for an address may not listen
// yet, or may be stopped for a while.
var given sync.Map

// freeAddress returns an unused loopback address, another one each time. Its port is below the
// range for outgoing connections, so that a stopped server can start at the same address again.
func freeAddress() (string, error) {
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if _, taken := given.LoadOrStore(address, true); taken {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", fmt.Errorf("no free port was found on 127.0.0.1")
}
