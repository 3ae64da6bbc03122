package realtime

import (
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
)

// round is one evaluation of an account, for one or all of its connections, with the
// account of one generation and one view of each dataset. It looks up each value once.
// Not safe for concurrent use; the caller must release it.
type round struct {
	service *Service
	tenant  *tenant
	account *account.Account // nil if it no longer exists

	now  time.Time // zero until it is needed
	live liveState // zero until it is needed

	decisions [numChannels]decision
	views     [numChannels]*reader.View
	viewed    [numChannels]bool

	pushed bool // something was sent to a connection
}

type decision struct {
	found   bool
	refusal *api.Error // nil if the account has the right
}

func (s *Service) newRound(t *tenant, g *account.Generation) *round {
	a, _ := g.Find(t.clientID)
	return &round{service: s, tenant: t, account: a}
}

// time returns the time of the round, which is the same for everything in it.
func (r *round) time() time.Time {
	if r.now.IsZero() {
		r.now = r.service.o.Now()
	}
	return r.now
}

// refusal returns why the account may not use a channel now, or nil if it may. The
// account must exist.
func (r *round) refusal(ch int) *api.Error {
	v := &r.decisions[ch]
	if !v.found {
		*v = decision{true, r.service.checkChannel(r.account, ch)}
	}
	return v.refusal
}

// checkChannel checks the requirements of a channel (specification, section 6.3), in the
// order in which HTTP checks them.
func (s *Service) checkChannel(a *account.Account, ch int) *api.Error {
	err := gate.CheckStatus(a)
	if err == nil {
		err = s.o.Gate.Entitled(a, channels[ch].need())
	}
	if err != nil {
		return api.AsError(err)
	}
	if !s.o.Connected(a, channels[ch].product) {
		return api.Refuse(api.ProviderNotConnected)
	}
	return nil
}

func (r *round) dataset(ch int) *reader.Dataset {
	return r.service.o.Library.Tenant(r.tenant.clientID).Dataset(channels[ch].product)
}

func (r *round) view(ch int) *reader.View {
	if !r.viewed[ch] {
		r.views[ch], r.viewed[ch] = r.dataset(ch).Acquire(), true
	}
	return r.views[ch]
}

// renew makes the next view of a channel the newest one again.
func (r *round) renew(ch int) {
	if v := r.views[ch]; v != nil {
		v.Release()
	}
	r.viewed[ch] = false
}

func (r *round) release() {
	for _, v := range r.views {
		if v != nil {
			v.Release()
		}
	}
}
