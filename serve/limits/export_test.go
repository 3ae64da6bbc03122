package limits

import (
	"context"
	"crypto/x509"
	"time"
)

// Every sets the time between two announcements.
func (o Options) Every(d time.Duration) Options {
	o.beat = d
	return o
}

// Beat announces the replica once.
func (s *Shared) Beat(ctx context.Context) error { return s.beat(ctx) }

// Trust returns the address with certificates that are trusted instead of the system's.
func (a Address) Trust(p *x509.CertPool) Address {
	a.tls = a.tls.Clone()
	a.tls.RootCAs = p
	return a
}
