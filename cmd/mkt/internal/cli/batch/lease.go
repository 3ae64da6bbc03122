package batch

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

// leases are the leases of the runs of this process. Machines share cycles over an object store:
// without the settings store and redis there are no leases, and only the lock of the folder keeps two runs of this machine apart.
type leases struct {
	cli.Redis
	purpose string // of the runs, for people on other machines who find a lease taken
	conn    *cluster.Conn
	member  *cluster.Member // nil: this process is a command that runs once
}

// installation returns the fingerprint of the id key, "" if it is not known.
func (g *Group) installation() string {
	if key, err := identity.LoadKey(g.Keys.ID); g.Keys.ID != "" && err == nil {
		return key.Fingerprint()
	}
	return g.IDKeyFingerprint()
}

// connect opens the connection for leases, if there is the setting. close may always be called.
func (g *Group) connect(purpose string) (close func(), err error) {
	if !g.leases.Set() || !g.HasStore() {
		return func() {}, nil
	}
	if g.leases.conn, err = g.leases.Open(g.Env, g.installation()); err != nil {
		return nil, err
	}
	g.leases.purpose = purpose
	return func() { g.leases.conn.Close(); g.leases.conn = nil }, nil
}

// claim takes the lease of a product of an account. The returned context ends with the lease;
// release may always be called.
//
// A run begins with the lease, before it reads anything of the account, and gives it back last.
// Copying an account's files before a run, and storing them after it, belongs between the two.
func (g *Group) claim(ctx context.Context, tenant string, product football.Product) (leased context.Context, release func(), err error) {
	if g.leases.conn == nil {
		return ctx, func() {}, nil
	}
	take, member := g.leases.conn.Take, g.leases.member
	if member != nil {
		take = member.Claim
	}
	leased, lease, err := take(ctx, tenant, string(product), g.leases.purpose)
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

// announce tells the replicas of serve about a new version.
func (g *Group) announce(tenant string, product football.Product, version uint64) {
	if conn := g.leases.conn; conn != nil {
		conn.Announce(tenant, string(product), version)
	}
}

// announceReport announces the version in the report of a publication.
func (g *Group) announceReport(r Report) {
	if version, ok := r.Counts["version"].(uint64); ok && r.Step == "publish" {
		g.announce(r.Tenant, football.Product(r.Product), version)
	}
}
