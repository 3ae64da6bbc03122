package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
	"mkt/internal/testing/check"
)

// A server with TLS is trusted if its certificate is, and nothing of a password is said if not.
func TestTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil) // for its certificate of 127.0.0.1
	web.StartTLS()
	t.Cleanup(web.Close)
	m := miniredis.NewMiniRedis()
	check.Must(t, m.StartTLS(&tls.Config{Certificates: web.TLS.Certificates}))
	t.Cleanup(m.Close)
	m.RequireAuth("s3cret-of-redis")
	a, err := cluster.ParseAddress("rediss://:s3cret-of-redis@" + m.Addr() + "/3")
	check.Must(t, err)
	set := func(a cluster.Address) error {
		c := cluster.NewClient(a, check.Limit, nil)
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), check.Limit)
		defer cancel()
		_, err := c.Do(ctx, "SET", "key", "value")
		return err
	}
	if err := set(a); cluster.OutcomeOf(err) != cluster.Unreachable || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a certificate that is not trusted: %v", err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	check.Must(t, set(a.Trust(trusted)))
	if !m.DB(3).Exists("key") {
		t.Errorf("database 3 has %v", m.DB(3).Keys())
	}
}

// Nothing of an address that may be secret is printed in any way.
func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"redis://h": "redis://h:6379/0", "rediss://web:geheim@h:1/3?prefix=a.b": "rediss://h:1/3", "redis://:geheim@[::1]:7": "redis://[::1]:7/0", "": "",
		"http://geheim": "", "redis://": "", "redis://h:0": "", "redis://h/geheim": "", "redis://h?password=geheim": "", "redis://h?prefix=": "", "redis://h?prefix=a&prefix=b": "",
		"redis://geheim:%zz@h": "", "redis://a,b:6379": "", "geheim": "", "redis://h#geheim": "", "redis://h:geheim": "",
	} {
		a, err := cluster.ParseAddress(text)
		if (err == nil) != (want != "" || text == "") || a.String() != want || a.IsZero() != (want == "") {
			t.Errorf("%s: %v, %v", text, a, err)
		}
		if printed := fmt.Sprintf("%v %s %+v %#v %v", a, a, a, a, err); strings.Contains(printed, "geheim") {
			t.Errorf("%s is printed as %s", text, printed)
		}
	}
}
