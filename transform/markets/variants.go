package markets

import "mkt/fetch/input"

// variant is one canonical market of an offer and its rows. A provider market
// whose rows name the side, the half or the scorer holds several.
type variant struct {
	about  side
	half   string
	market string
	twoWay bool  // the two-way lines of a three-way total
	raw    bool  // rows that belong to none
	rows   []int // in the provider's order
}

// sortVariants splits the rows by their market, in the order of the rows. Unread rows stay with
// the market if there is only one candidate; otherwise they stay RAW.
func (d *Deriver) sortVariants(p *plan) {
	several := p.want&(about|half) != 0 || p.claim.Condition == input.NeedsScorers || p.may&about != 0 && p.fixed == noSide
	for i := range d.variants {
		d.variants[i].rows = d.variants[i].rows[:0]
	}
	d.variants = d.variants[:0]
	if !several {
		v := d.variant(variant{about: p.fixed, twoWay: d.readings[0].twoWay})
		for i := range d.readings {
			if d.readings[i].twoWay != v.twoWay {
				v = d.variant(variant{about: p.fixed, twoWay: d.readings[i].twoWay})
			}
			v.rows = append(v.rows, i)
		}
		return
	}
	for i := range d.readings {
		rd := &d.readings[i]
		v := d.variant(variant{about: rd.about, half: rd.half, market: rd.market, twoWay: rd.twoWay, raw: rd.reason != ""})
		v.rows = append(v.rows, i)
	}
}

// variant finds the variant like w, or begins it.
func (d *Deriver) variant(w variant) *variant {
	for i := range d.variants {
		if v := &d.variants[i]; v.about == w.about && v.half == w.half && v.market == w.market && v.twoWay == w.twoWay && v.raw == w.raw {
			return v
		}
	}
	n := len(d.variants)
	if n < cap(d.variants) { // take over its buffer
		d.variants = d.variants[:n+1]
		w.rows = d.variants[n].rows[:0]
		d.variants[n] = w
	} else {
		d.variants = append(d.variants, w)
	}
	return &d.variants[n]
}
