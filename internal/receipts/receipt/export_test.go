package receipt

import "mkt/internal/receipts/transparency"

// Claim returns the claim of a receipt whose parts hold.
func (r *Receipt) Claim(p *transparency.Policy) ([]string, error) {
	_, claim, err := r.check(p)
	return claim, err
}
