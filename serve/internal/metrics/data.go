package metrics

import (
	"time"

	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/pipeline"
	"mkt/serve/internal/reader"
)

var (
	pagesDesc        = desc("mkt_pages_total", "Pages of markets, fixtures and changes: cached, rendered, or failed because of an error of the engine or of a file.", "outcome")
	queueRefusedDesc = desc("mkt_page_line_refused_total", "Uncached pages that were refused: the queue was full, or the wait was too long (slow).", "reason")
	waitingDesc      = desc("mkt_pages_waiting", "Uncached pages that wait in the fair queue.")
	renderingDesc    = desc("mkt_pages_rendering", "Uncached pages that are being rendered.")
	replacedDesc     = desc("mkt_engines_replaced_total", "Query engines that failed and were replaced.")
	memoryDesc       = desc("mkt_memory_bytes", "Memory of what is served, by part; for engines their limit.", "part")
	loadsDesc        = desc("mkt_snapshot_loads_total", "Loads of published snapshots, by outcome.", "product", "outcome")
	loadTimeDesc     = desc("mkt_snapshot_load_seconds_total", "Time taken by the loads that succeeded.", "product")
	rowsDesc         = desc("mkt_snapshot_rows", "Fixtures and markets served, over all accounts.", "product", "table")
	datasetsDesc     = desc("mkt_datasets", "Datasets of active accounts with a current subscription: current, overdue (older than two cadences), empty (nothing published), or clock (a time of the publication is to come).", "product", "state")
	quarantinedDesc  = desc("mkt_publications_quarantined", "Accounts whose newest publication is damaged, cannot be read, or killed the process, so that an older one is served.", "product")
	newestDesc       = desc("mkt_publication_newest_age_seconds", "Age of the newest publication of any active account.", "product")
	oldestDesc       = desc("mkt_publication_oldest_age_seconds", "Age of the newest publication of the active account whose newest publication is the oldest.", "product")
)

func (c collector) collectData(gauge, counter send) {
	l := c.Library.Stats()
	counter(pagesDesc, float64(l.PagesCached), "cached")
	counter(pagesDesc, float64(l.PagesRendered), "rendered")
	counter(pagesDesc, float64(l.PagesFailed), "failed")
	counter(queueRefusedDesc, float64(l.QueueFull), "full")
	counter(queueRefusedDesc, float64(l.QueueTimeouts), "slow")
	gauge(waitingDesc, float64(l.Waiting))
	gauge(renderingDesc, float64(l.Rendering))
	counter(replacedDesc, float64(l.EnginesReplaced))
	gauge(memoryDesc, float64(l.IndexBytes), "index")
	gauge(memoryDesc, float64(l.PageBytes), "pages")
	gauge(memoryDesc, float64(l.EventBytes), "events")
	gauge(memoryDesc, float64(l.EngineMemory), "engines")
	for p, ps := range l.Products {
		product := string(p)
		counter(loadsDesc, float64(ps.Loaded), product, "loaded")
		counter(loadsDesc, float64(ps.LoadsFailed), product, "failed")
		counter(loadTimeDesc, ps.LoadTime.Seconds(), product)
		gauge(rowsDesc, float64(ps.Fixtures), product, "fixtures")
		gauge(rowsDesc, float64(ps.Markets), product, "markets")
		gauge(quarantinedDesc, float64(ps.Quarantined), product)
		age := c.ageing(p, ps.Published, c.Now())
		gauge(datasetsDesc, float64(age.current), product, "current")
		gauge(datasetsDesc, float64(age.overdue), product, "overdue")
		gauge(datasetsDesc, float64(age.empty), product, "empty")
		gauge(datasetsDesc, float64(age.toCome), product, "clock")
		if age.current+age.overdue > 0 {
			gauge(newestDesc, age.newest.Seconds(), product)
			gauge(oldestDesc, age.oldest.Seconds(), product)
		}
	}
}

type ages struct {
	current, overdue, empty int
	toCome                  int           // a time of the publication is to come
	newest, oldest          time.Duration // 0 without any
}

// ageing returns the ages for the accounts that should have data. The cycles of other
// accounts do not run, so their ages would be meaningless.
func (c collector) ageing(p football.Product, published []reader.Served, now time.Time) ages {
	at := make(map[string]api.Freshness, len(published))
	for _, d := range published {
		at[d.ClientID] = d.Times
	}
	var r ages
	g := c.Accounts.Load()
	for i := range g.Accounts() {
		a := &g.Accounts()[i]
		if a.Status != account.Active || a.TermAt(p, now) != account.InForce || !a.Provider.Configured || a.Provider.Disabled {
			continue
		}
		published, ok := at[a.ClientID]
		if !ok {
			r.empty++
			continue
		}
		if published.ToCome(now) {
			r.toCome++
			continue
		}
		age := max(0, now.Sub(published.Oldest()))
		if r.current+r.overdue == 0 || age < r.newest {
			r.newest = age
		}
		r.oldest = max(r.oldest, age)
		if cadence := pipeline.Of(a, c.Library).Cadence(p, now); pipeline.Overdue(published, cadence, now) {
			r.overdue++
			continue
		}
		r.current++
	}
	return r
}
