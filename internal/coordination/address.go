package coordination

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Address is a parsed setting such as nats://user:password@a:4222,b,c?cluster=live. The parameters
// are cluster, the name of the installation among those that share the servers (default: mkt),
// creds, a file of NATS credentials, and ca, a file of certificates.
type Address struct {
	servers        []string // each with its scheme, host and port
	user, password string
	token          bool // user is a token
	cluster        string
	creds, ca      string
}

// defaultCluster is the first word of all subjects, unless the address names another.
const defaultCluster = "mkt"

// mostServers bounds the servers of an address.
const mostServers = 32

var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

const mostHostName = 255 // characters

var clusterName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Parse parses an address. Its errors never contain the address, which may hold a password.
func Parse(text string) (Address, error) {
	a := Address{cluster: defaultCluster}
	rest, query, _ := strings.Cut(text, "?")
	scheme, rest, ok := strings.Cut(rest, "://")
	if !ok || scheme != "nats" && scheme != "tls" {
		return a, errors.New("want nats://HOST:PORT, nats://A,B,C, or tls:// instead of nats://")
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 && !strings.Contains(rest[:at], "@") {
		if err := a.setUser(rest[:at]); err != nil {
			return a, err
		}
		rest = rest[at+1:]
	}
	parts := strings.Split(strings.TrimSuffix(rest, "/"), ",")
	if len(parts) > mostServers {
		return a, fmt.Errorf("want at most %d servers", mostServers)
	}
	for i, part := range parts {
		server, err := parseServer(scheme, part)
		if err != nil {
			return a, fmt.Errorf("server %d of %d: %w", i+1, len(parts), err)
		}
		a.servers = append(a.servers, server)
	}
	return a, a.setQuery(query)
}

func (a *Address) setUser(text string) error {
	user, password, both := strings.Cut(text, ":")
	var errs [2]error
	a.user, errs[0] = url.PathUnescape(user)
	a.password, errs[1] = url.PathUnescape(password)
	a.token = !both
	if errors.Join(errs[:]...) != nil || a.user == "" {
		return errors.New("want USER:PASSWORD or TOKEN before the @, with % and other special characters written as %25 and so on")
	}
	return nil
}

func parseServer(scheme, part string) (string, error) {
	part = strings.TrimPrefix(part, scheme+"://")
	if strings.ContainsAny(part, "@/ \t") || part == "" {
		return "", errors.New("want HOST or HOST:PORT; a user is given once, before the first server")
	}
	host, port, err := net.SplitHostPort(part)
	if err != nil {
		host, port = strings.Trim(part, "[]"), "4222"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || net.ParseIP(host) == nil && (len(host) > mostHostName || !hostName.MatchString(host)) {
		return "", errors.New("want HOST or HOST:PORT, with a port from 1 to 65535")
	}
	return scheme + "://" + net.JoinHostPort(host, port), nil
}

func (a *Address) setQuery(text string) error {
	query, err := url.ParseQuery(text)
	if err != nil {
		return errors.New("want cluster=NAME, creds=FILE or ca=FILE after the ?, joined by &")
	}
	for key, values := range query {
		value := values[len(values)-1]
		switch key {
		case "cluster":
			if !clusterName.MatchString(value) {
				return errors.New("cluster: want 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit")
			}
			a.cluster = value
		case "creds", "ca":
			if !filepath.IsAbs(value) {
				return fmt.Errorf("%s: want the absolute path of a file", key)
			}
			if key == "creds" {
				a.creds = value
			} else {
				a.ca = value
			}
		default:
			return fmt.Errorf("%q is no parameter: there are cluster, creds and ca", key)
		}
	}
	return nil
}

// String returns the servers and the cluster, without user and password.
func (a Address) String() string {
	if len(a.servers) == 0 {
		return ""
	}
	text := a.servers[0]
	for _, s := range a.servers[1:] {
		_, host, _ := strings.Cut(s, "://")
		text += "," + host
	}
	if a.cluster != defaultCluster {
		text += "?cluster=" + a.cluster
	}
	return text
}

// GoString implements fmt.GoStringer, so that no verb prints a password.
func (a Address) GoString() string { return "coordination.Address(" + a.String() + ")" }

func (a Address) bucket() string { return a.cluster + "-leases" }
func (a Address) stream() string { return "KV_" + a.bucket() }
func (a Address) key(client, product string) string {
	return "$KV." + a.bucket() + "." + client + "." + product
}
func (a Address) subject(words ...string) string {
	return a.cluster + "." + strings.Join(words, ".")
}
