package markets

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

// variants are the variants of an offer. The buffer is reused.
type variants struct{ list []variant }

// of splits the rows by their market, in the order of the rows. Unread rows stay with the market
// if there is only one candidate; otherwise they stay RAW.
func (d *variants) of(p *plan, readings []reading) []variant {
	for i := range d.list {
		d.list[i].rows = d.list[i].rows[:0]
	}
	d.list = d.list[:0]
	if !p.isSplit() {
		v := d.variant(variant{about: p.fixed, twoWay: readings[0].twoWay})
		for i := range readings {
			if readings[i].twoWay != v.twoWay {
				v = d.variant(variant{about: p.fixed, twoWay: readings[i].twoWay})
			}
			v.rows = append(v.rows, i)
		}
		return d.list
	}
	for i := range readings {
		rd := &readings[i]
		v := d.variant(variant{about: rd.about, half: rd.half, market: rd.market, twoWay: rd.twoWay, raw: rd.reason != ""})
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
