package markets

import "mkt/transform/markets/wording"

// variant is one canonical market of an offer and its rows. A provider market
// whose rows name the side, the half or the scorer holds several.
type variant struct {
	about  wording.Side
	half   string
	market string
	twoWay bool  // the two-way lines of a three-way total
	raw    bool  // rows that belong to none
	rows   []int // in the provider's order
}

// variants are the variants of an offer. The buffer is reused.
type variants struct{ list []variant }

// of splits the rows by their market, in the order of the rows. Unread rows stay with the market
// if there is only one candidate; otherwise they stay RAW.
func (d *variants) of(p *wording.Plan, readings []wording.Reading) []variant {
	for i := range d.list {
		d.list[i].rows = d.list[i].rows[:0]
	}
	d.list = d.list[:0]
	if !p.IsSplit() {
		v := d.variant(variant{about: p.Fixed, twoWay: readings[0].TwoWay})
		for i := range readings {
			if readings[i].TwoWay != v.twoWay {
				v = d.variant(variant{about: p.Fixed, twoWay: readings[i].TwoWay})
			}
			v.rows = append(v.rows, i)
		}
		return d.list
	}
	for i := range readings {
		rd := &readings[i]
		v := d.variant(variant{about: rd.About, half: rd.Half, market: rd.Market, twoWay: rd.TwoWay, raw: rd.Reason != ""})
		v.rows = append(v.rows, i)
	}
	return d.list
}

// variant finds the variant like w, or begins it.
func (d *variants) variant(w variant) *variant {
	for i := range d.list {
		if v := &d.list[i]; v.about == w.about && v.half == w.half && v.market == w.market && v.twoWay == w.twoWay && v.raw == w.raw {
			return v
		}
	}
	n := len(d.list)
	if n < cap(d.list) { // take over its buffer
		d.list = d.list[:n+1]
		w.rows = d.list[n].rows[:0]
		d.list[n] = w
	} else {
		d.list = append(d.list, w)
	}
	return &d.list[n]
}
