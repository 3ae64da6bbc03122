package realtime

import (
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
)

// round is one look at an account, for one or all of its connections: the account
// of one generation, one view of each dataset. What it is asked for it finds out
// once. Used by one goroutine; release it.
type round struct {
	service *Service
	tenant  *tenant
	account *account.Account // nil when it is gone

	now   time.Time // zero until somebody asks
	shown shown     // of the live channel; zero until somebody asks

	verdicts [numChannels]verdict
	views    [numChannels]*reader.View
	viewed   [numChannels]bool
}

// verdict on a channel.
type verdict struct {
	found   bool
	refusal *api.Error // nil: the account may have it
}

func (s *Service) newRound(t *tenant, g *account.Generation) *round {
	a, _ := g.Find(t.clientID)
	return &round{service: s, tenant: t, account: a}
}

// time is that of the round: one for all that it shows.
func (r *round) time() time.Time {
	if r.now.IsZero() {
		r.now = r.service.o.Now()
	}
	return r.now
}

// still judges whether a connection would be let in today.
func (r *round) still(h gate.Holder) error { return h.Still(r.account) }

// refusal is why the account may not have a channel now, nil when it may. The
// account must be there.
func (r *round) refusal(ch int) *api.Error {
	v := &r.verdicts[ch]
	if !v.found {
		*v = verdict{true, r.service.judge(r.account, ch)}
	}
	return v.refusal
}

// judge applies what a channel requires (specification, section 6.3), in the
// order of HTTP's checks.
func (s *Service) judge(a *account.Account, ch int) *api.Error {
	err := gate.Standing(a)
	if err == nil {
		err = s.o.Gate.Entitled(a, channels[ch].need())
	}
	if err != nil {
		return api.AsError(err)
	}
	if !s.o.Connected(a) {
		return api.Refuse(api.ProviderNotConnected)
	}
	return nil
}

func (r *round) dataset(ch int) *reader.Dataset {
	return r.service.o.Library.Tenant(r.tenant.clientID).Dataset(channels[ch].product)
}

// view is the newest one, nil as long as there is none.
func (r *round) view(ch int) *reader.View {
	if !r.viewed[ch] {
		r.views[ch], r.viewed[ch] = r.dataset(ch).Acquire(), true
	}
	return r.views[ch]
}

// renew takes the newest view anew.
func (r *round) renew(ch int) *reader.View {
	if v := r.views[ch]; v != nil {
		v.Release()
	}
	r.viewed[ch] = false
	return r.view(ch)
}

func (r *round) release() {
	for _, v := range r.views {
		if v != nil {
			v.Release()
		}
	}
}
