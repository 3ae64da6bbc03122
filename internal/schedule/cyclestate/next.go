package cyclestate

import (
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// Stopped returns why no product of an account is run; "" if those in force may run.
func Stopped(t *accounts.Tenant) string {
	switch {
	case t.Status != account.Active:
		return string(t.Status)
	case t.Provider == nil:
		return "no provider"
	case t.Provider.Disabled:
		return "provider disabled"
	}
	return ""
}

// InForce reports whether an account has a product at a time. Its cycles then run, unless the
// account is [Stopped].
func InForce(t *accounts.Tenant, p football.Product, now time.Time) bool {
	return t.Subscription(p, now) == account.InForce
}

// Untried returns why nothing tries the credential of an account, whose connection would stay
// [health.Verifying] for ever; "" if a cycle will.
func Untried(t *accounts.Tenant, now time.Time) string {
	if why := Stopped(t); why != "" {
		return why
	}
	why := "no product"
	for _, p := range football.Products() {
		switch term := t.Subscription(p, now); term {
		case account.InForce:
			return ""
		case account.None:
		default:
			why = string(term)
		}
	}
	return why
}

// Next is when the cycles of a product of an account run.
type Next struct {
	Expr    string        // of tenants.yaml or the default; "" if there is none
	Cadence time.Duration // the longest time between two cycles, at the pace in force; 0 without a valid expression
	Pace    time.Duration // the least time between two cycles, if the quota allows no more often; otherwise 0
	At      time.Time     // when a cycle is due next; zero if none is
	// Overdue is when the first missed cycle was due, if the newest one is older than two
	// cadences. Otherwise it is zero.
	Overdue   time.Time
	Stopped   string        // why no cycle is due, if At is zero
	Postponed *Postponement // why At is later than Expr says; nil if it is not
}

// NextOf returns when a product runs next. pace is the pace recorded by a schedule, or nil; last
// is when the newest cycle began, zero if there was none.
func NextOf(data string, t *accounts.Tenant, p football.Product, pace *health.Pace, last, now time.Time) Next {
	n := Next{Expr: t.Expression(p)}
	when, err := cadence.Parse(n.Expr)
	switch {
	case n.Expr == "":
		n.Stopped = "no schedule"
	case err != nil:
		n.Stopped = "the schedule is not valid"
	case Stopped(t) != "":
		n.Stopped = Stopped(t)
	case !InForce(t, p, now):
		n.Stopped = string(t.Subscription(p, now))
	}
	if err != nil {
		return n
	}
	if t.Provider != nil {
		n.Pace = pace.In(now, t.Provider.Fingerprint())
	}
	when = cadence.Slower(when, n.Pace)
	n.Cadence = cadence.Of(when, now)
	if n.Stopped != "" {
		return n
	}
	n.At = when.Next(now.UTC())
	if n.Postponed = PostponementOf(data, t, p, now); n.Postponed != nil {
		n.At = n.Postponed.Until
	} else if !last.IsZero() && now.Sub(last) > cadence.OverdueAfter*n.Cadence {
		n.Overdue = when.Next(last.UTC())
	}
	return n
}
