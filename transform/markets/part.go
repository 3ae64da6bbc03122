package markets

import (
	"mkt/fetch/input"
	"mkt/transform/markets/wording"
)

// part is the rows of an offer that make one market, in the provider's order.
type part struct {
	offer    *input.Offer
	readings []wording.Reading // of the offer's rows
	rows     []int             // indexes of the offer's rows; nil for all rows, if none was read
}

func (p *part) len() int {
	if p.rows == nil {
		return len(p.offer.Rows)
	}
	return len(p.rows)
}

// row returns the row number k of the market.
func (p *part) row(k int) *input.Row {
	if p.rows == nil {
		return &p.offer.Rows[k]
	}
	return &p.offer.Rows[p.rows[k]]
}

// reading returns the reading of row number k, nil if no row was read.
func (p *part) reading(k int) *wording.Reading {
	if p.rows == nil {
		return nil
	}
	return &p.readings[p.rows[k]]
}

// isRead reports whether row number k was read.
func (p *part) isRead(k int) bool {
	rd := p.reading(k)
	return rd != nil && rd.Reason == ""
}
