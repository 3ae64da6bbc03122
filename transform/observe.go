package transform

import (
	"errors"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/payloads"
	"mkt/transform/reading"
)

// observe decides whether the form of the cycle's answers is observed: the first time that the cycle is made,
// and once in each slot of time, because live cycles come every few seconds.
func (r *run) observe() {
	if r.rebuilds || r.before != nil || r.published.Version > 0 || r.backfill == nil {
		return
	}
	if began, last := beganAt(r.cycle), beganAt(r.archive.Cycle().Previous); began/slot != last/slot {
		r.observed = new(reading.Observed)
	}
}

const slot = int64(payloads.Slot / 1e9)

// beganAt returns when a cycle began, in seconds; 0 if there is none.
func beganAt(id layout.CycleID) int64 {
	at, _, err := layout.ParseCycleID(string(id))
	if err != nil {
		return 0
	}
	return at.Unix()
}

// remember adds what was observed to the memory of the dataset, also if too much of the cycle could not be read: the
// members that are gone say why.
func (r *run) remember(err error) {
	if r.observed == nil || err != nil && !errors.Is(err, reading.ErrQuarantined) {
		return
	}
	c := r.archive.Cycle()
	o := payloads.Observation{Source: payloads.Source{Provider: c.Provider, Bookmaker: c.Bookmaker, Connection: c.Connection}, Rules: r.Version,
		Cycle: r.cycle, At: c.FinishedAt.UTC(), Live: r.Product == football.LiveIntelligence}
	for _, response := range r.archive.Responses() {
		if response.Endpoint == provider.EndpointMapping {
			o.Rules += " " + response.SHA256
		}
	}
	if fetched, err := health.Read(r.Root, health.StepFetch); err == nil && fetched != nil && fetched.Plan != nil {
		o.Source.Plan = fetched.Plan.Name
	}
	r.observed.Add(&o)
	if err := payloads.Record(r.Root, o); err != nil {
		r.log().Warn("state file not written", "error", err)
	}
}
