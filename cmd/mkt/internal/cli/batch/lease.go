package batch

import (
	"context"
	"errors"
	"fmt"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/coordination"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// leases are the leases of the runs of this process. Without the setting work there are none, and
// only the lock of the folder keeps two runs of this machine apart.
type leases struct {
	cli.Work
	purpose string // the reason of the run, for other machines that find a lease taken
	conn    *coordination.Conn
}

// installation returns the fingerprint of the id key, "" if it is not known.
func (g *Group) installation() string {
	if key, err := identity.LoadKey(g.Keys.ID); g.Keys.ID != "" && err == nil {
		return key.Fingerprint()
	}
	return g.IDKeyFingerprint()
}

// connect opens the connection of a command that runs once, and waits until leases can be taken.
// close may always be called.
func (g *Group) connect(ctx context.Context, purpose string) (close func(), err error) {
	if !g.leases.Set() {
		return func() {}, nil
	}
	conn, err := g.leases.Connect(ctx, g.Env, g.installation())
	if err != nil {
		return nil, err
	}
	g.leases.conn, g.leases.purpose = conn, purpose
	return func() { conn.Close(); g.leases.conn = nil }, nil
}

// claim takes the lease of a product of an account. The returned context ends with the lease;
// release may always be called.
//
// A run begins with the lease, before it reads anything of the account, and gives it back last.
// Copying an account's files before a run, and storing them after it, belongs between the two.
func (g *Group) claim(ctx context.Context, tenant string, product football.Product) (leased context.Context, release func(), err error) {
	conn := g.leases.conn
	if conn == nil {
		return ctx, func() {}, nil
	}
	lease, err := conn.Take(ctx, coordination.Run{Client: tenant, Product: string(product), Purpose: g.leases.purpose, Short: product == football.LiveIntelligence})
	var taken *coordination.Taken
	if errors.As(err, &taken) {
		return nil, nil, fmt.Errorf("tenant %s, %s: %w: %w; try again later", tenant, product, durable.ErrLocked, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("tenant %s, %s: %w", tenant, product, err)
	}
	leased, end := lease.Bind(ctx)
	return leased, func() { end(); lease.Release() }, nil
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
