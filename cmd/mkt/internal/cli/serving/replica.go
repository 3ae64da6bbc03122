package serving

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/coordination"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/replica"
)

// openReplica returns the replica of the object store in the data root, nil without a store. A view
// of the past is not kept up to date and has none.
func (g *Group) openReplica(ctx context.Context, f Flags, accounts *account.Registry, isPast bool) (*replica.Replica, error) {
	if !g.HasStore() || isPast {
		return nil, nil
	}
	s, err := g.Store(ctx)
	if err != nil {
		return nil, err
	}
	return replica.New(replica.Options{
		Store: s, Data: g.Data, Products: account.Products(), Every: f.storePoll, Now: g.Now, Log: g.Log,
		Clients: func() []string { return servedOf(accounts) },
	}), nil
}

// servedOf lists the accounts whose data is copied.
func servedOf(accounts *account.Registry) []string {
	var ids []string
	for _, a := range accounts.Load().Accounts() {
		if a.Status != account.Revoked {
			ids = append(ids, a.ClientID)
		}
	}
	return ids
}

func replicaCollectors(r *replica.Replica) []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "mkt_replica_copied_total", Help: "Publications that were copied from the object store."},
			func() float64 { copied, _, _ := r.Stats(); return float64(copied) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "mkt_replica_failures_total", Help: "Attempts to copy from the object store that failed."},
			func() float64 { _, failed, _ := r.Stats(); return float64(failed) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mkt_replica_store_answered_timestamp_seconds", Help: "When the object store last answered this replica; 0 if it never did."},
			func() float64 {
				if _, _, at := r.Stats(); !at.IsZero() {
					return float64(at.UnixMilli()) / 1000
				}
				return 0
			}),
	}
}

// follow copies everything published before this process began, and keeps the copy up to
// date until ctx ends. With NATS, the workers announce every publication. close may always be
// called.
func (g *Group) follow(ctx context.Context, news cli.Work, r *replica.Replica) (closeNews func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	closeNews = func() {}
	if news.Set() {
		if closeNews, err = g.listen(ctx, news, r); err != nil {
			return nil, err
		}
	}
	r.Refresh(ctx)
	go r.Run(ctx)
	return closeNews, nil
}

func (g *Group) listen(ctx context.Context, news cli.Work, r *replica.Replica) (closeNews func(), err error) {
	conn, err := news.Open(g.Env, coordination.ForNews, g.IDKeyFingerprint())
	if err != nil {
		return nil, err
	}
	err = conn.Listen(ctx, func(clientID, product string, _ uint64) {
		if clientID == "" {
			r.NotifyAll()
			return
		}
		r.Notify(clientID, football.Product(product))
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn.Close, nil
}
