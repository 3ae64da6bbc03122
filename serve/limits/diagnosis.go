package limits

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"mkt/internal/cluster"
	"mkt/serve/account"
	"mkt/serve/internal/gate"
)

// Report is the result of [Check].
type Report struct {
	Server   string        // such as "Redis 7.0.15"; "" if the server does not say
	Policy   string        // its maxmemory-policy; "" if the server does not say
	Ahead    time.Duration // by how much its clock is ahead of this one
	Took     time.Duration // the fastest command
	Replicas []string      // names of the living replicas, sorted; a name may occur twice
}

// NoEviction is the only policy under which the server deletes no key before it expires.
const NoEviction = "noeviction"

// checkTime is the time for one command of Check, which may also connect.
const checkTime = 2 * time.Second

// CheckError says which command of Check failed, and how.
type CheckError struct {
	Outcome cluster.Outcome
	Command string
	Err     error
}

func (e *CheckError) Error() string {
	if e.Outcome == cluster.Slow {
		return fmt.Sprintf("%s: no answer within %v", e.Command, checkTime)
	}
	return fmt.Sprintf("%s: %v", e.Command, e.Err)
}

func (e *CheckError) Unwrap() error { return e.Err }

// Check sends the server the commands of the counters. It leaves nothing there but a key,
// which expires at once. The error is a [CheckError].
func Check(ctx context.Context, a cluster.Address, now func() time.Time) (r Report, err error) {
	client := cluster.NewClient(a, checkTime, nil)
	defer client.Close()
	r.Took = checkTime
	run := func(name string, command func(context.Context) error) {
		if err != nil {
			return
		}
		within, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		began := now()
		if failed := command(within); failed != nil {
			err = &CheckError{cluster.OutcomeOf(failed), name, failed}
			return
		}
		r.Took = min(r.Took, now().Sub(began))
	}
	send := func(name string, args ...any) {
		run(name, func(ctx context.Context) error {
			_, err := client.Do(ctx, name, args...)
			return err
		})
	}
	script := func(script *redis.Script, keysAndArgs ...any) {
		run("EVALSHA", func(ctx context.Context) error {
			_, err := client.Run(ctx, script, keysAndArgs...)
			return err
		})
	}
	send("PING")
	run("TIME", func(ctx context.Context) error {
		began := now()
		at, err := redis.Int64s(client.Do(ctx, "TIME"))
		if err == nil && len(at) == 2 {
			r.Ahead = time.Unix(at[0], at[1]*1000).Sub(began.Add(now().Sub(began) / 2))
		}
		return err
	})
	b := gate.BucketOf(account.Limit{Requests: 1000, Per: time.Second, Burst: 1})
	script(takeScript, a.Key("doctor"), int64(b.Each), int64(b.Depth))
	script(openScript, a.Key("doctor", "sockets"), "doctor", 1, 1)
	send("ZREM", a.Key("doctor", "sockets"), "doctor")
	run("ZRANGE", func(ctx context.Context) error {
		alive, err := redis.Strings(client.Do(ctx, "ZRANGE", replicasKey(a), 0, -1))
		r.Replicas = names(alive)
		slices.Sort(r.Replicas)
		return err
	})
	if err == nil {
		within, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		info, _ := redis.String(client.Do(within, "INFO")) // a hosted server may refuse it
		r.describe(info)
	}
	return r, err
}

// describe reads the answer to INFO.
func (r *Report) describe(info string) {
	facts := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(info)); lines.Scan(); {
		if key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), ":"); ok {
			facts[key] = value
		}
	}
	r.Policy = facts["maxmemory_policy"]
	switch {
	case facts["valkey_version"] != "":
		r.Server = "Valkey " + facts["valkey_version"]
	case facts["redis_version"] != "":
		r.Server = "Redis " + facts["redis_version"]
	}
}
