package bookmaker

import "testing"

// Every offer has a name of its own, and all of its markets have prices.
func TestOffers(t *testing.T) {
	for i, o := range offers {
		if OfferOf(o.name) != Offer(i) {
			t.Errorf("two offers are named %s", o.name)
		}
		for _, r := range o.refs {
			if pricers[r.Market] == nil {
				t.Errorf("%s: nothing prices %s", o.name, r.Market)
			}
		}
	}
}
