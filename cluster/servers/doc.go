// Package servers starts the engines of a cluster for its tests and for its demonstration:
// an object store, NATS with JetStream, an object store that ignores conditions, and a proxy
// that injects faults. It is in a module of its own, so that neither the servers nor what
// they need are linked into mkt.
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

// given has the addresses that this process has given out: what is to listen there may not have
// begun to, or may be stopped for a while.
var given sync.Map

// freeAddress returns a loopback address that nothing listens on, and another one each time. Its port is below those
// that the system gives to outgoing connections, so that a server that is stopped can start
// at the same address again.
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
