package fetch

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/publish/health"
)

// Probed is the result of a test of the connection. It is valid also beside an error.
type Probed struct {
	Code     string        // why it failed, a code of package health; "" when the credential is good
	Endpoint string        // that was asked
	Requests int           // sent, retries among them
	Quota    *health.Quota // what the provider said of the account's quota; nil if nothing
	Took     time.Duration
}

// Probe sends one cheap request to an account's provider with the account's
// credential. Nothing is archived: Root, Product, Cycle and Progress are not used. The
// errors to branch on are those of Run. ErrLimited means that the credential is good
// and its quota is used up.
func Probe(ctx context.Context, o Options) (Probed, error) {
	o, err := o.fill()
	if err != nil {
		return Probed{}, err
	}
	r, err := o.probe(ctx)
	return r, o.worded(ctx, r, err)
}

// Test does what Probe does and writes the result into state/probe.json of Root, which
// is here the tenant's; the caller holds its lock. An interrupted test writes nothing.
func Test(ctx context.Context, o Options) (Probed, error) {
	o, err := o.fill()
	switch {
	case err != nil:
		return Probed{}, err
	case o.Root == nil:
		return Probed{}, fmt.Errorf("account %s: no root to write into", o.Tenant.ID)
	}
	calls := countCalls(&o)
	defer calls.end()
	o.Usage = calls.add
	started := o.Now()
	r, err := o.probe(ctx)
	if err != nil && ctx.Err() != nil {
		return r, o.worded(ctx, r, err)
	}
	state := health.Record(o.Root, health.Run{
		Step: health.StepProbe, StartedAt: started, FinishedAt: o.Now(), OK: err == nil, Code: r.Code,
		CredentialFingerprint: o.Tenant.Fingerprint, Quota: r.Quota, Counters: map[string]int64{"requests": int64(r.Requests)},
	})
	if state != nil && err == nil {
		err = &storageError{state}
	}
	o.logProbe(r, err)
	return r, o.worded(ctx, r, err)
}

// Budgets of a probe, for which a person is waiting.
const (
	probeTime  = 45 * time.Second
	probeTries = 2
)

func (o Options) probe(ctx context.Context) (r Probed, err error) {
	began := o.Monotonic()
	defer func() { r.Code, r.Took = codeOf(err), o.Monotonic().Sub(began) }()
	if o.Limits.Run <= 0 {
		o.Limits.Run = probeTime
	}
	if o.Limits.Tries <= 0 {
		o.Limits.Tries = probeTries
	}
	l, err := o.connect()
	if err != nil {
		return r, err
	}
	defer l.client.Close()
	question := l.adapter.Probe(o.Now())
	r.Endpoint = question.Endpoint
	_, err = l.client.Get(ctx, question, func(a upstream.Answer) error {
		if a.Verdict.Kind == provider.Limited { // this answer suffices, so that nobody waits for the quota
			return &provider.AnswerError{Endpoint: question.Endpoint, Status: a.Status, Verdict: a.Verdict}
		}
		return nil
	})
	r.Requests, r.Quota = l.client.Requests(), l.client.Quota()
	return r, err
}

// worded explains a probe's error to the person who reads it.
func (o Options) worded(ctx context.Context, r Probed, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("account %s: test of the connection interrupted: %w", o.Tenant.ID, context.Cause(ctx))
	}
	return o.Tenant.explain(err, r.Quota)
}

func (o Options) logProbe(r Probed, err error) {
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
	}
	o.Log.Log(context.Background(), level, "tested", "tenant", o.Tenant.ID, "step", "probe", "code", codeOf(err),
		"requests", r.Requests, "took_ms", r.Took.Milliseconds())
}
