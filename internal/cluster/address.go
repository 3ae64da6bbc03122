package cluster

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Address is a Redis or Valkey server, and the prefix of the keys there. The zero value is none.
type Address struct {
	host     string // with the port
	user     string
	password string
	database int
	tls      *tls.Config // nil = no TLS
	prefix   string
}

const (
	defaultPort   = "6379"
	defaultPrefix = "mkt"
	maxDatabase   = 1 << 20
)

var prefixPattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$`)

// The errors of [ParseAddress]. None has a part of the URL, which may hold a password.
var (
	errAddress  = errors.New("want redis://HOST:PORT, or rediss:// for TLS, with USER:PASSWORD@ before the host and /DATABASE after the port if needed")
	errDatabase = errors.New("the path must be the number of a database, such as /0")
	errOption   = errors.New("the only option is prefix, such as ?prefix=mkt: 1 to 63 letters, digits, dots, hyphens and underscores")
)

// ParseAddress parses a URL such as rediss://user:password@host:6379/0?prefix=mkt. An empty
// text is no address.
func ParseAddress(text string) (a Address, err error) {
	if text == "" {
		return a, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || strings.ContainsAny(u.Host, ", ") || u.Fragment != "" || u.Opaque != "" {
		return a, errAddress
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return a, errAddress
	}
	database := 0
	if path := strings.Trim(u.Path, "/"); path != "" {
		if database, err = strconv.Atoi(path); err != nil || database < 0 || database > maxDatabase {
			return a, errDatabase
		}
	}
	a.prefix = defaultPrefix
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errOption
	}
	for name, values := range options {
		if name != "prefix" || len(values) != 1 || !prefixPattern.MatchString(values[0]) {
			return Address{}, errOption
		}
		a.prefix = values[0]
	}
	a.host, a.database = net.JoinHostPort(u.Hostname(), port), database
	a.user = u.User.Username()
	a.password, _ = u.User.Password()
	if u.Scheme == "rediss" {
		a.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	return a, nil
}

// IsZero reports whether there is no address.
func (a Address) IsZero() bool { return a.host == "" }

// HasPassword reports whether the address has a password.
func (a Address) HasPassword() bool { return a.password != "" }

// String returns the address without the user and the password.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	scheme := "redis"
	if a.tls != nil {
		scheme = "rediss"
	}
	return scheme + "://" + a.host + "/" + strconv.Itoa(a.database)
}

// GoString is [Address.String]: no way of printing shows the password.
func (a Address) GoString() string { return a.String() }

// Key returns the name of a key or channel below the prefix: <prefix>:<word>:<word>.
func (a Address) Key(words ...string) string {
	return strings.Join(append([]string{a.prefix}, words...), ":")
}
