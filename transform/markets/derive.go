package markets

import (
	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets/proof"
)

// Deriver turns a provider's offers into canonical markets. It keeps buffers:
// one goroutine at a time. Its results are the caller's, unless Release is called.
type Deriver struct {
	prover   proof.Prover
	variants variants
	emitter  emitter
}

// New returns a deriver that mints with m, and owns m from then on.
func New(m *identity.Minter) *Deriver {
	return &Deriver{prover: proof.New(), emitter: newEmitter(m)}
}

// Derive returns the fixture's markets in the provider's order. An offer without rows was listed
// without prices: it is no market. Every other offer becomes at least one market, and every row
// is in exactly one selection.
func (d *Deriver) Derive(f *football.Fixture, offers []input.Offer) []football.Market {
	d.prover.Begin(f)
	d.emitter.begin(f, offers)
	for i := range offers {
		if len(offers[i].Rows) > 0 {
			d.offer(&offers[i])
		}
	}
	return d.emitter.end()
}

// Release gives back the last result of Derive, which must not be used any more. The next fixture
// uses its memory.
func (d *Deriver) Release() { d.emitter.release() }

// Derive calls [New] and [Deriver.Derive], for a single fixture.
func Derive(m *identity.Minter, f football.Fixture, offers []input.Offer) []football.Market {
	return New(m).Derive(&f, offers)
}

// offer derives one offer with rows.
func (d *Deriver) offer(o *input.Offer) {
	proven := d.prover.Prove(o)
	if proven.Reason != "" {
		d.emitter.raw(&part{offer: o}, proven.Reason)
		return
	}
	for _, v := range d.variants.of(&proven.Plan, proven.Readings) {
		of := part{offer: o, readings: proven.Readings, rows: v.rows}
		switch {
		case v.raw:
			d.emitter.raw(&of, football.MixedMarket)
		case v.twoWay:
			d.emitter.mapped(&of, &proven.TwoWay, &v)
		default:
			d.emitter.mapped(&of, &proven.Plan, &v)
		}
	}
}
