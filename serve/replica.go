package serve

import (
	"cmp"
	"net"
	"os"
	"regexp"
	"strings"
)

var (
	replicaPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	notInReplica   = regexp.MustCompile(`[^a-z0-9_-]+`)
)

// ValidReplica reports whether name may name a replica: 1 to 63 of a-z, 0-9, "_" and "-",
// beginning with a letter or digit. It is a part of file names.
func ValidReplica(name string) bool { return replicaPattern.MatchString(name) }

// replica returns the name of this replica. The default stays the same when the process is
// started again, and differs for processes on one host.
func (o *Options) replica() string {
	if o.Replica != "" {
		return o.Replica
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return defaultReplica(host, o.Listen)
}

func defaultReplica(host, listen string) string {
	const maxHost = 63 - len("-65535")
	host = strings.Trim(notInReplica.ReplaceAllString(strings.ToLower(host), "-"), "-_")
	host = strings.TrimRight(host[:min(len(host), maxHost)], "-_")
	host = cmp.Or(host, "host")
	if _, port, err := net.SplitHostPort(listen); err == nil && port != "0" && ValidReplica(port) {
		return host + "-" + port
	}
	return host
}
