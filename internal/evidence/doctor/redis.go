package doctor

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"mkt/internal/cluster"
	"mkt/internal/terminal"
	"mkt/serve/limits"
)

// redis checks the server that several machines share, and lists the workers and replicas.
func (d *doctor) redis(ctx context.Context) {
	if d.Redis.IsZero() {
		return
	}
	at := place{file: d.Redis.String()}
	d.redisPassword()
	r, err := limits.Check(ctx, d.Redis, d.Now)
	var failed *limits.CheckError
	if errors.As(err, &failed) {
		const meanwhile = "meanwhile workers keep the accounts that they have, and each replica allows its share of each limit"
		if failed.Outcome == cluster.Refused {
			d.bad(Fail, "REDIS_REFUSED", "redis", at, "check the user, the password and the database in redis (mkt.yaml, MKT_REDIS), and that the user may run the commands of docs/cluster.md", "%v; %s", err, meanwhile)
		} else {
			d.bad(Fail, "REDIS_UNREACHABLE", "redis", at, "start the server, or correct redis (mkt.yaml, MKT_REDIS): with TLS it is rediss://, and needs a certificate that this machine trusts", "%v; %s", err, meanwhile)
		}
		return
	}
	replicas := "no replica is announced"
	if len(r.Replicas) > 0 {
		replicas = terminal.Plural(len(r.Replicas), "replica") + ": " + strings.Join(r.Replicas, ", ")
	}
	d.ok("redis", at, "%s answers in %v and accepts the credentials; %s", orUnknown(r.Server), r.Took.Round(10*time.Microsecond), replicas)
	if r.Took > limits.CommandTime {
		d.bad(Warn, "REDIS_SLOW", "redis", at, "run a server that is nearer, or one that has less to do", "a command took %v; serve waits for at most %v", r.Took.Round(time.Millisecond), limits.CommandTime)
	}
	if r.Policy != "" && r.Policy != limits.NoEviction {
		d.bad(Warn, "REDIS_EVICTS", "redis", at, "redis-cli config set maxmemory-policy "+limits.NoEviction+"; then the same in its configuration file", "maxmemory-policy is %s: if its memory is full, it deletes leases and buckets", r.Policy)
	}
	if r.Ahead.Abs() > cluster.ClockTolerance {
		d.bad(Warn, "REDIS_CLOCK", "redis", at, "on both machines: timedatectl status", "its clock is %s %s this one: a worker here runs no account and takes no lease", ago(r.Ahead.Abs()), word(r.Ahead > 0, "ahead of", "behind"))
	}
	if names := slices.Compact(slices.Clone(r.Replicas)); len(names) < len(r.Replicas) {
		d.bad(Warn, "REDIS_REPLICA", "redis", at, "give each its own serve.replica; if one was started again just now, wait for ten seconds", "some replicas have the same name: %s", strings.Join(r.Replicas, ", "))
	}
	d.workersAlive(ctx, at)
}

func (d *doctor) workersAlive(ctx context.Context, at place) {
	conn := cluster.Open(cluster.Options{Address: d.Redis, Now: d.Now})
	defer conn.Close()
	workers, err := conn.Workers(ctx)
	if err != nil {
		d.bad(Fail, "REDIS_UNREACHABLE", "redis", at, d.mkt("doctor"), "the workers cannot be listed: %v", err)
		return
	}
	d.workers = len(workers)
	for _, w := range workers {
		if d.idKey != "" && w.Installation != "" && w.Installation != d.idKey {
			d.bad(Fail, "REDIS_FOREIGN", "redis", at, "give each installation its own prefix, as ?prefix=NAME in the redis setting", "the worker %s belongs to another installation: its id key is %s, and the one here is %s", w.Name, w.Installation, d.idKey)
			continue
		}
		d.ok("redis", at, "the worker %s is alive", w.Name)
	}
	if len(workers) == 0 && d.Store != nil {
		d.bad(Warn, "REDIS_NO_WORKERS", "redis", at, d.mkt("schedule"), "no worker is alive: nothing runs the cycles")
	}
}

// redisPassword checks who may read the password in mkt.yaml: not every user.
func (d *doctor) redisPassword() {
	if !d.RedisInConfig || !d.Redis.HasPassword() {
		return
	}
	if info, err := os.Stat(d.Config); err == nil && info.Mode()&0o004 != 0 {
		d.bad(Warn, "REDIS_EXPOSED", "redis", place{file: d.Config}, "chmod o-r "+terminal.Quote(d.Config)+"; or put the URL into the variable MKT_REDIS of the service", "redis has a password, and every user may read the file")
	}
}

func orUnknown(server string) string {
	if server == "" {
		return "the server"
	}
	return server
}
