package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/publish/health"
)

// Probed is the result of a test of the connection. It is valid also beside an error.
type Probed struct {
	Code      health.Code   // why it failed; "" if the credential is good
	Endpoints []string      // that were asked, in this order
	Failed    []FailedProbe // of them those that neither were answered nor refused for the plan
	Requests  int           // sent, retries among them
	Quota     *health.Quota // the account's quota by the provider; nil if it said nothing
	Plan      *health.Plan  // the account's plan by the answers; nil if they showed nothing
	Took      time.Duration
}

// FailedProbe is a request of a test that failed although the credential is good. It
// shows nothing of the plan.
type FailedProbe struct {
	Endpoint string      `json:"endpoint"`
	Code     health.Code `json:"code"`
	Reason   string      `json:"reason,omitempty"` // the provider's own error word, from a closed set of the adapter; "" if it has none
}

// Probe finds out whether an account's credential is good. It sends the cheapest request
// for this, and another one only if the plan does not include the first. Nothing
// is archived: Root, Product, Cycle and Progress are not used. The errors to branch on are
// those of [Run]. [ErrPermission] means the plan includes nothing of the requested data,
// and [ErrLimited] a good credential whose quota is used up.
func Probe(ctx context.Context, o Options) (Probed, error) {
	o, err := o.fill()
	if err != nil {
		return Probed{}, err
	}
	r, err := o.probe(ctx, untilAccepted)
	return r, o.worded(ctx, r, err)
}

// Test does the same as [Probe], and then sends one cheap request for each capability of
// the provider, to find out which of them the account's plan includes. It writes the result
// into state/probe.json of Root, which is here the tenant's; the caller holds its lock. An
// interrupted test writes nothing.
func Test(ctx context.Context, o Options) (Probed, error) { return o.test(ctx, all) }

// TestCredential does the same as [Probe], and writes the result as [Test] does.
func TestCredential(ctx context.Context, o Options) (Probed, error) {
	return o.test(ctx, untilAccepted)
}

func (o Options) test(ctx context.Context, e extent) (Probed, error) {
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
	r, err := o.probe(ctx, e)
	if err != nil && ctx.Err() != nil {
		return r, o.worded(ctx, r, err)
	}
	state := health.Record(o.Root, health.Run{
		Step: health.StepProbe, StartedAt: started, FinishedAt: o.Now(), OK: err == nil, Code: r.Code,
		CredentialFingerprint: o.Tenant.Fingerprint, Quota: r.Quota, Plan: r.Plan, Counters: map[string]int64{"requests": int64(r.Requests)},
	})
	if state != nil && err == nil {
		err = &storageError{state}
	}
	o.logProbe(r, err)
	return r, o.worded(ctx, r, err)
}

// Budgets of a test, for which a person is waiting.
const (
	probeTime  = 45 * time.Second
	probeTries = 2
)

// extent is how many of an adapter's probes are sent.
type extent uint8

const (
	untilAccepted extent = iota // until one is accepted
	all
)

func (o Options) probe(ctx context.Context, e extent) (r Probed, err error) {
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
	l.client.Close() // each probe has a client of its own: a refusal ends all requests of one
	t := &connectionTest{options: o, adapter: l.adapter, evidence: newEvidence(l.adapter, l.secret), deadline: began.Add(o.Limits.Run),
		probing: provider.Probing{Now: o.Now(), Bookmaker: l.adapter.Bookmaker(o.Tenant.Bookmaker)}}
	err = t.run(ctx, e)
	t.found.Plan = t.evidence.found()
	return t.found, err
}

// connectionTest is one test of a connection.
type connectionTest struct {
	options  Options
	found    Probed
	adapter  provider.Provider
	evidence *evidence
	deadline time.Time // by Monotonic
	probing  provider.Probing
}

// run sends the probes. Once the credential has been accepted, only a refusal of the
// credential and a used up quota are errors.
func (t *connectionTest) run(ctx context.Context, e extent) error {
	var refusal error // of the first probe that the plan does not include
	accepted := false
	for _, probe := range t.adapter.Probes {
		question, ok := probe(t.probing)
		if !ok || t.evidence.isRefused(question) {
			continue
		}
		err := t.ask(ctx, question)
		code := codeOf(err)
		switch {
		case err == nil && e == untilAccepted:
			return nil
		case err == nil:
			accepted = true
		case code == health.CodePermission:
			if refusal == nil {
				refusal = err
			}
		case ctx.Err() != nil, code == health.CodeCredential, code == health.CodeRateLimited, !accepted && refusal == nil:
			return err
		default:
			failed := FailedProbe{Endpoint: question.Endpoint, Code: code}
			var answer *provider.AnswerError
			if errors.As(err, &answer) {
				failed.Reason = answer.Verdict.Code
			}
			t.found.Failed = append(t.found.Failed, failed)
		}
	}
	if !accepted {
		return refusal
	}
	return nil
}

// ask sends one probe and keeps the findings of its answer.
func (t *connectionTest) ask(ctx context.Context, question provider.Request) error {
	t.found.Endpoints = append(t.found.Endpoints, question.Endpoint)
	o := t.options
	if o.Limits.Run = t.deadline.Sub(o.Monotonic()); o.Limits.Run <= 0 {
		return fmt.Errorf("%s: %w: the test took too long", question.Endpoint, provider.ErrUnreachable)
	}
	l, err := o.connect()
	if err != nil {
		return err
	}
	defer l.client.Close()
	answer, err := l.client.Get(ctx, question, func(a upstream.Answer) error {
		if a.Verdict.Kind == provider.Limited { // this answer suffices, so nobody waits for the quota
			return &provider.AnswerError{Endpoint: question.Endpoint, Status: a.Status, Verdict: a.Verdict}
		}
		return nil
	})
	t.found.Requests += l.client.Requests()
	if q := l.client.Quota(); q != nil {
		t.found.Quota = q
	}
	if err != nil {
		t.evidence.failed(question, err, o.Now())
		return err
	}
	payload := provider.Payload{Endpoint: question.Endpoint, Query: question.Query, FetchedAt: answer.At, Body: answer.Body}
	t.probing.Answers = append(t.probing.Answers, payload)
	t.evidence.accepted(question, provider.Answered{Payload: payload, Quota: answer.Verdict.Quota})
	return nil
}

// worded explains a probe's error to the person who reads it.
func (o Options) worded(ctx context.Context, r Probed, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("account %s: test of the connection interrupted: %w", o.Tenant.ID, context.Cause(ctx))
	}
	return explain(o.Tenant, err, r.Quota)
}

func (o Options) logProbe(r Probed, err error) {
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
	}
	o.Log.Log(context.Background(), level, "tested", "tenant", o.Tenant.ID, "step", "probe", "code", codeOf(err),
		"requests", r.Requests, "took_ms", r.Took.Milliseconds())
}
