// Package lease has the leases of runs on the data of accounts, which machines with one object store share.
package lease

import (
	"context"
	"errors"
	"fmt"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/cluster"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// Leases are the leases of the runs of this process. Machines share cycles over an object store:
// without the settings store and redis there are no leases, and only the lock of the folder keeps two runs of this machine apart.
type Leases struct {
	cli.Redis
	Conn    *cluster.Conn   // nil: there are no leases
	Member  *cluster.Member // nil: this process is a command that runs once
	purpose string          // of the runs, for people on other machines who find a lease taken
}

// Connect opens the connection for leases, if there is the setting. idKey is the file of the id key.
// close may always be called.
func (l *Leases) Connect(env *cli.Env, idKey, purpose string) (close func(), err error) {
	if !l.Set() || !env.HasStore() {
		return func() {}, nil
	}
	if l.Conn, err = l.Open(env, installation(env, idKey)); err != nil {
		return nil, err
	}
	l.purpose = purpose
	return func() { l.Conn.Close(); l.Conn = nil }, nil
}

// installation returns the fingerprint of the id key, "" if it is not known.
func installation(env *cli.Env, idKey string) string {
	if key, err := identity.LoadKey(idKey); idKey != "" && err == nil {
		return key.Fingerprint()
	}
	return env.IDKeyFingerprint()
}

// Claim takes the lease of a product of an account. The returned context ends with the lease;
// release may always be called.
//
// A run begins with the lease, before it reads anything of the account, and gives it back last.
// Copying an account's files before a run, and storing them after it, belongs between the two.
func (l *Leases) Claim(ctx context.Context, tenant string, product football.Product) (leased context.Context, release func(), err error) {
	if l.Conn == nil {
		return ctx, func() {}, nil
	}
	take, member := l.Conn.Take, l.Member
	if member != nil {
		take = member.Claim
	}
	leased, lease, err := take(ctx, tenant, string(product), l.purpose)
	var taken *cluster.TakenError
	var away *cluster.AwayError
	switch {
	case err == nil:
		return leased, lease.Release, nil
	case errors.As(err, &taken):
		return nil, nil, fmt.Errorf("tenant %s, %s: %w: %w; try again later", tenant, product, durable.ErrLocked, err)
	case !errors.As(err, &away):
		return nil, nil, fmt.Errorf("tenant %s, %s: %w", tenant, product, err)
	case member == nil:
		return nil, nil, fmt.Errorf("tenant %s, %s: %w; if no other machine runs cycles, --redis= runs this without a lease", tenant, product, err)
	}
	return nil, nil, fmt.Errorf("tenant %s, %s: %w; this worker does not have the account", tenant, product, err)
}

// Announce tells the replicas of serve about a new version.
func (l *Leases) Announce(tenant string, product football.Product, version uint64) {
	if conn := l.Conn; conn != nil {
		conn.Announce(tenant, string(product), version)
	}
}
