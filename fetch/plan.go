package fetch

import (
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/health"
)

// evidence collects the signs of the account's plan in the answers of one run or one test.
// A refusal counts for more than data: without the refused part the capability
// cannot be used. It is safe for concurrent use.
type evidence struct {
	adapter  provider.Provider
	scrubber *credential.Scrubber

	mu   sync.Mutex
	plan health.Plan
}

func newEvidence(adapter provider.Provider, secret credential.Secret) *evidence {
	return &evidence{adapter: adapter, scrubber: credential.NewScrubber(secret), plan: health.Plan{Capabilities: map[football.Capability]health.Evidence{}}}
}

// accepted reads an accepted answer, unless it cannot add anything.
func (e *evidence) accepted(r provider.Request, a provider.Answered) {
	if e.adapter.ReadPlan == nil || e.isKnown(r) {
		return
	}
	p := e.adapter.ReadPlan(a)
	name := e.cleanName(p.Name)
	e.mu.Lock()
	defer e.mu.Unlock()
	if name != "" || !p.EndsAt.IsZero() {
		e.plan.Name, e.plan.EndsAt, e.plan.At = name, nil, a.FetchedAt
	}
	if !p.EndsAt.IsZero() {
		ends := p.EndsAt.UTC()
		e.plan.EndsAt = &ends
	}
	for _, c := range p.Includes {
		if _, known := e.plan.Capabilities[c]; !known {
			e.plan.Capabilities[c] = health.Evidence{Included: true, At: a.FetchedAt}
		}
	}
}

// isKnown reports whether everything that a request may show was shown before.
func (e *evidence) isKnown(r provider.Request) bool {
	needed := e.adapter.NeededBy(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range needed {
		if _, known := e.plan.Capabilities[c]; !known {
			return false
		}
	}
	return len(needed) > 0
}

// failed records the sign of a failed request: none, unless it is the one that was
// refused. The requests stopped because of it fail with its error too.
func (e *evidence) failed(r provider.Request, err error, at time.Time) {
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.PermissionFault || refusal.Endpoint != r.Endpoint || e.adapter.NeededBy == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.adapter.NeededBy(r) {
		e.plan.Capabilities[c] = health.Evidence{At: at}
	}
}

// isRefused reports whether a request can show nothing more, since all that it may show
// was refused.
func (e *evidence) isRefused(r provider.Request) bool {
	needed := e.adapter.NeededBy(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range needed {
		if !e.plan.Refuses(c) {
			return false
		}
	}
	return len(needed) > 0
}

// found returns the plan found, nil if there is nothing.
func (e *evidence) found() *health.Plan {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.plan.At.IsZero() && len(e.plan.Capabilities) == 0 {
		return nil
	}
	p := e.plan
	return &p
}

// longestName bounds the name of a plan, in characters.
const longestName = 100

// cleanName returns a plan's name in one line, and "" if the credential is in it.
func (e *evidence) cleanName(name string) string {
	if e.scrubber.Found([]byte(name)) {
		return ""
	}
	name = strings.Join(strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) || unicode.IsSpace(c) }), " ")
	if characters := []rune(name); len(characters) > longestName {
		name = string(characters[:longestName])
	}
	return name
}
