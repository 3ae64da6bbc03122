package cluster

import "crypto/x509"

// Trust returns the address with certificates that are trusted instead of the system's.
func (a Address) Trust(p *x509.CertPool) Address {
	a.tls = a.tls.Clone()
	a.tls.RootCAs = p
	return a
}
