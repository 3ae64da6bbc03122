package upstream

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"sync/atomic"

	"github.com/sony/gobreaker/v2"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
)

// try sends a request once, unless the breaker is open.
func (c *Client) try(ctx context.Context, r provider.Request, n int) attempt {
	a, err := c.limiter.breaker.Execute(func() (attempt, error) {
		a := c.send(ctx, r, n)
		switch {
		case a.failed == nil && a.answer.Verdict.Kind != provider.Retryable:
			return a, nil
		case ctx.Err() != nil:
			return a, errGivenUp
		case a.failed == nil:
			return a, errRetryable
		case a.failed.kind == provider.Rejected:
			return a, nil
		}
		return a, a.failed
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return attempt{failed: circuitOpen}
	}
	return a
}

var errRetryable = errors.New("the provider reports a fault of its own")

func (c *Client) send(ctx context.Context, r provider.Request, n int) (a attempt) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var reached, sent atomic.Int32
	q, err := c.request(httptrace.WithClientTrace(ctx, tracing(&reached, &sent)), r)
	if err != nil {
		return attempt{failed: badRequest}
	}
	c.options.Provider.Authorize(q, c.options.Credential.Reveal())
	if q.URL.Host != c.base.Host || q.URL.Scheme != c.base.Scheme {
		return attempt{failed: badRequest}
	}
	number := c.tries.Add(1)
	resp, err := c.http.RoundTrip(q)
	if requests := int(sent.Load()); requests > 0 {
		c.count(r.Endpoint, requests)
	}
	if err != nil {
		return attempt{failed: sendFailure(err, phase(reached.Load()))}
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return attempt{failed: badHTTP}
	}
	if tag := resp.Header.Get("ETag"); resp.StatusCode == http.StatusNotModified && r.Unless != "" && (tag == "" || tag == r.Unless) { // it has no body
		resp.Header.Set("ETag", r.Unless)
		return attempt{Answer{n, resp.StatusCode, resp.Header, nil, c.options.Now(), provider.Verdict{}}, number, true, nil, nil}
	}
	body, turn, failed := c.readBody(ctx, cancel, resp, c.maxBody())
	c.received.Add(int64(len(body)))
	a = attempt{Answer{n, resp.StatusCode, resp.Header, body, c.options.Now(), provider.Verdict{}}, number, true, failed, turn}
	if failed != nil {
		a.answer.Verdict = provider.Verdict{Kind: failed.kind, Code: failed.code}
		return a
	}
	a.answer.Verdict = c.judge(resp.StatusCode, resp.Header, body)
	return a
}

// tracing notes how far an attempt gets, and how often it was written: the
// transport repeats a request when an idle connection turns out to be closed.
func tracing(reached, sent *atomic.Int32) *httptrace.ClientTrace {
	at := func(p phase) { reached.Store(int32(p)) }
	return &httptrace.ClientTrace{
		ConnectStart:         func(_, _ string) { at(connecting) },
		TLSHandshakeStart:    func() { at(shakingHands) },
		GotConn:              func(httptrace.GotConnInfo) { at(sending) },
		WroteHeaders:         func() { sent.Add(1) },
		GotFirstResponseByte: func() { at(answering) },
	}
}

func (c *Client) count(endpoint string, requests int) {
	for range requests {
		c.limiter.count(c.options.Monotonic(), c.options.Now())
	}
	c.requests.Add(int64(requests))
	if c.options.Usage != nil {
		c.options.Usage(endpoint, requests)
	}
}

// defaultMaxBody bounds an answer when the adapter does not, bytes.
const defaultMaxBody = 16 << 20

func (c *Client) maxBody() int64 {
	if m := c.options.Provider.Budget.MaxBody; m > 0 {
		return m
	}
	return defaultMaxBody
}

// judge asks the adapter for its verdict, and is stricter where no provider can be
// right: a redirect is never followed, and only a 200 with a body is accepted.
func (c *Client) judge(status int, header http.Header, body []byte) provider.Verdict {
	if status >= 300 && status < 400 {
		return provider.Verdict{Kind: provider.Rejected, Code: codeRedirect}
	}
	values := strictjson.Count(body, strictjson.MaxValues)
	if values > strictjson.MaxValues {
		return provider.Verdict{Kind: provider.Rejected, Code: codeTooManyValues}
	}
	v := c.options.Provider.Classify(status, header, body)
	switch {
	case v.Kind != provider.Accepted:
		if v.Code != "" && !codePattern.MatchString(v.Code) {
			v.Code = codeOther
		}
	case status != http.StatusOK:
		v = provider.Verdict{Kind: provider.Rejected, Code: codeStatus}
	case len(body) == 0:
		v = provider.Verdict{Kind: provider.Rejected, Code: codeEmpty}
	default:
		c.values.Add(int64(values))
	}
	return v
}

// Codes of this package, besides those of the failures.
const (
	codeRedirect = "REDIRECT"
	codeStatus   = "UNEXPECTED_STATUS"
	codeEmpty    = "EMPTY"
	codeOther    = "OTHER"
	codeQuota    = "QUOTA_USED_UP"

	codeRunTooLarge   = "RUN_TOO_LARGE"
	codeTooManyValues = "TOO_MANY_VALUES"
)

// codePattern is the form of a code; other text of the provider is not passed on.
var codePattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
