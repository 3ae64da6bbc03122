package serving

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/cluster/replica"
	"mkt/publish/football"
	"mkt/serve/account"
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
		Store: s, Data: g.Data, Products: football.Products(), Every: f.storePoll, Now: g.Now, Log: g.Log,
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
// date until ctx ends. With the setting redis, it hears of every publication. close may always be
// called, after ctx has ended.
func (g *Group) follow(ctx context.Context, news cli.Redis, r *replica.Replica) (closeNews func(), err error) {
	closeNews = func() {}
	if r == nil {
		return closeNews, nil
	}
	if news.Set() {
		conn, err := news.Open(g.Env, g.IDKeyFingerprint())
		if err != nil {
			return nil, err
		}
		closeNews = conn.Close
		go conn.Listen(ctx, func(clientID, product string, _ uint64) {
			if clientID == "" {
				r.NotifyAll()
				return
			}
			r.Notify(clientID, football.Product(product))
		})
	}
	r.Refresh(ctx)
	go r.Run(ctx)
	return closeNews, nil
}
