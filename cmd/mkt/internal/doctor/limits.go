package doctor

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/serve/limits"
)

// limits checks the server for the counts of requests and sockets over all replicas.
func (d *doctor) limits(ctx context.Context) {
	if d.Limits.IsZero() {
		return
	}
	at := place{file: d.Limits.String()}
	d.limitsPassword()
	r, err := limits.Check(ctx, d.Limits, d.Now)
	var failed *limits.CheckError
	if errors.As(err, &failed) {
		const share = "until then each replica allows its share of each limit"
		if failed.Outcome == limits.Refused {
			d.bad(Fail, "LIMITS_REFUSED", "limits", at, "check the user, the password and the database in limits (mkt.yaml, MKT_LIMITS), and that the user may run the commands of docs/cluster.md", "%v; %s", err, share)
		} else {
			d.bad(Fail, "LIMITS_UNREACHABLE", "limits", at, "start the server, or correct limits (mkt.yaml, MKT_LIMITS): with TLS it is rediss://, and needs a certificate that this machine trusts", "%v; %s", err, share)
		}
		return
	}
	replicas := "no replica is announced"
	if len(r.Replicas) > 0 {
		replicas = cli.Plural(len(r.Replicas), "replica") + ": " + strings.Join(r.Replicas, ", ")
	}
	d.ok("limits", at, "%s answers in %v and accepts the credentials; %s", orUnknown(r.Server), r.Took.Round(10*time.Microsecond), replicas)
	if r.Took > limits.CommandTime {
		d.bad(Warn, "LIMITS_SLOW", "limits", at, "run a server that is nearer, or one that has less to do", "a command took %v; serve waits for at most %v", r.Took.Round(time.Millisecond), limits.CommandTime)
	}
	if r.Policy != "" && r.Policy != limits.NoEviction {
		d.bad(Warn, "LIMITS_EVICTS", "limits", at, "redis-cli config set maxmemory-policy "+limits.NoEviction+", and the same in its configuration file", "maxmemory-policy is %s: if its memory is full, it deletes buckets, which are then full again", r.Policy)
	}
	if r.Ahead.Abs() > differAtMost {
		direction := "ahead of"
		if r.Ahead < 0 {
			direction = "behind"
		}
		d.bad(Warn, "LIMITS_CLOCK", "limits", at, "timedatectl status, on both machines", "its clock is %s %s this one; limits are right all the same, because only its clock counts", ago(r.Ahead.Abs()), direction)
	}
	if names := slices.Compact(slices.Clone(r.Replicas)); len(names) < len(r.Replicas) {
		d.bad(Warn, "LIMITS_REPLICA", "limits", at, "give each its own serve.replica; if one was started again just now, wait for ten seconds", "some replicas have the same name: %s", strings.Join(r.Replicas, ", "))
	}
}

// limitsPassword checks who may read the password in mkt.yaml: not every user.
func (d *doctor) limitsPassword() {
	if !d.LimitsInConfig || !d.Limits.HasPassword() {
		return
	}
	if info, err := os.Stat(d.Config); err == nil && info.Mode()&0o004 != 0 {
		d.bad(Warn, "LIMITS_EXPOSED", "limits", place{file: d.Config}, "chmod o-r "+cli.Quote(d.Config)+", or put the URL into the variable MKT_LIMITS of the service", "limits has a password, and every user may read the file")
	}
}

func orUnknown(server string) string {
	if server == "" {
		return "the server"
	}
	return server
}
