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

// TestResult is what a test of a connection came to. It is meaningful also
// beside an error.
type TestResult struct {
	Code     string // why it failed, a code of package health; "" when the credential is good
	Endpoint string // that was asked
	Requests int    // sent, retries among them
	Took     time.Duration
}

// Test asks an account's provider one cheap question with the account's
// credential, archives nothing, and writes what it found into state/probe.json of
// Root, which is here the tenant's; the caller holds its lock. Product, Cycle and
// Progress are not used. The errors to branch on are those of Run, where
// ErrLimited speaks for the credential: it is good, and its quota used up. An
// interrupted test writes nothing.
func Test(ctx context.Context, o Options) (TestResult, error) {
	o, err := o.fill()
	if err != nil {
		return TestResult{}, err
	}
	calls := countCalls(&o)
	defer calls.end()
	o.Usage = calls.add
	began, started := time.Now(), o.Now()
	result, err := o.test(ctx)
	result.Code, result.Took = codeOf(err), time.Since(began)
	if err != nil && ctx.Err() != nil {
		return result, fmt.Errorf("account %s: test interrupted: %w", o.Tenant.ID, context.Cause(ctx))
	}
	state := health.Record(o.Root, health.Run{
		Step: health.StepProbe, StartedAt: started, FinishedAt: o.Now(), OK: err == nil, Code: result.Code,
		CredentialFingerprint: o.Tenant.Fingerprint, Counters: map[string]int64{"requests": int64(result.Requests)},
	})
	if state != nil && err == nil {
		err = &storageError{state}
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
	}
	o.Log.Log(context.Background(), level, "tested", "tenant", o.Tenant.ID, "step", "probe", "code", codeOf(err),
		"requests", result.Requests, "took_ms", result.Took.Milliseconds())
	if err != nil {
		return result, o.Tenant.explain(err)
	}
	return result, nil
}

// Budgets of a test: somebody waits for it.
const (
	testTime  = 45 * time.Second
	testTries = 2
)

func (o Options) test(ctx context.Context) (r TestResult, err error) {
	if o.Limits.Run <= 0 {
		o.Limits.Run = testTime
	}
	if o.Limits.Tries <= 0 {
		o.Limits.Tries = testTries
	}
	l, err := o.connect()
	if err != nil {
		return r, err
	}
	defer l.client.Close()
	question := l.adapter.Probe(o.Now())
	r.Endpoint = question.Endpoint
	_, err = l.client.Get(ctx, question, func(a upstream.Answer) error {
		if a.Verdict.Kind == provider.Limited { // the answer is had: no waiting for the quota
			return &provider.AnswerError{Endpoint: question.Endpoint, Status: a.Status, Verdict: a.Verdict}
		}
		return nil
	})
	r.Requests = l.client.Requests()
	return r, err
}
