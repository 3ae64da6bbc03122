// Package decode has the steps that all adapters take with an answer before they know its
// content: parse it, judge one that is no answer of the provider at all, and decide how a
// failed request affects the rest of the run.
package decode

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
)

// Codes of verdicts on answers outside the provider's format.
const (
	Empty      = "EMPTY_BODY"
	NotJSON    = "NOT_JSON"           // a page of the front server
	Cut        = "INVALID_JSON"       // cut short, or not JSON after all
	Doubtful   = "DOUBTFUL_JSON"      // not UTF-8, beyond a limit, or a key of the envelope is there twice: another try will not help
	NoEnvelope = "NO_ENVELOPE"        // JSON, but not the provider's envelope
	Unknown    = "UNKNOWN_ERROR"      // an error of the provider that is not in the adapter's closed set
	Status     = "UNEXPLAINED_STATUS" // only the status names the error
)

// maxKept limits the index that is kept for the next payload, in values.
const maxKept = 1 << 19

var documents = sync.Pool{New: func() any { return new(strictjson.Document) }}

// Document returns a document to parse an answer with. Release it after use.
func Document() *strictjson.Document { return documents.Get().(*strictjson.Document) }

// Release returns a document. None of its values may be used after that.
func Release(d *strictjson.Document) {
	d.Clear()
	if d.Size() <= maxKept {
		documents.Put(d)
	}
}

// Root returns the outermost value of a payload, and reports it to the payload's Fields. It parses
// the payload into d unless that was done before.
func Root(d *strictjson.Document, p provider.Payload) (strictjson.Value, error) {
	if p.Document != nil {
		d = p.Document
	} else if err := d.Parse(p.Body); err != nil {
		return strictjson.Value{}, err
	}
	p.Fields.Add(p.Endpoint, d.Root())
	return d.Root(), nil
}

// ByStatus judges an answer whose status alone says something. code is the code for a
// status that has no meaning of its own.
type ByStatus func(status int, code string) provider.Verdict

// Classify judges an answer with judge, which parses it into a document. The verdict on an
// accepted answer has the document, which belongs to the caller.
func Classify(judge func(d *strictjson.Document) provider.Verdict) provider.Verdict {
	d := Document()
	v := judge(d)
	if v.Kind != provider.Accepted {
		Release(d)
		return v
	}
	v.Document = d
	return v
}

// Judge parses an answer that begins with one of the bytes of first. ok is false if it
// cannot be the provider's: then v is the verdict.
func (by ByStatus) Judge(d *strictjson.Document, status int, body []byte, first string) (v provider.Verdict, ok bool) {
	switch c := firstOf(body); {
	case c == 0:
		return by.Unexplained(status, Empty), false
	case strings.IndexByte(first, c) < 0:
		if status == http.StatusOK && strings.IndexByte("{[", c) >= 0 && d.Parse(body) == nil { // another try will not help
			return provider.Verdict{Kind: provider.Rejected, Code: NoEnvelope}, false
		}
		return by.Unexplained(status, NotJSON), false
	}
	doubtful := false
	if err := d.Parse(body); err != nil {
		if doubtful = isDoubtful(err); !doubtful || status != http.StatusOK {
			return by.Unexplained(status, Cut), false
		}
	} else if doubtful = d.Root().Repeats(); doubtful && status != http.StatusOK {
		return by.Unexplained(status, Doubtful), false
	}
	if doubtful {
		return provider.Verdict{Kind: provider.Rejected, Code: Doubtful}, false
	}
	return provider.Verdict{}, true
}

// isDoubtful reports whether the body is complete JSON of a kind that is refused. If it
// was cut short instead, the next try may succeed.
func isDoubtful(err error) bool {
	var e *strictjson.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Rule {
	case strictjson.RuleUTF8, strictjson.RuleDepth, strictjson.RuleString, strictjson.RuleNumber, strictjson.RuleValues:
		return true
	}
	return false
}

// Unexplained judges an answer without an envelope. A refusal of the front server is
// not one of the provider: only 401 and 429 have no other meaning.
func (by ByStatus) Unexplained(status int, code string) provider.Verdict {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests:
		return by(status, code)
	}
	return provider.Verdict{Kind: provider.Retryable, Code: code}
}

// Usual is the [ByStatus] of providers whose statuses have their usual meanings.
func Usual(status int, code string) provider.Verdict {
	kind := provider.Rejected
	switch {
	case status == http.StatusUnauthorized:
		kind, code = provider.CredentialFault, Status
	case status == http.StatusForbidden:
		kind, code = provider.PermissionFault, Status
	case status == http.StatusTooManyRequests:
		kind, code = provider.Limited, Status
	case status >= http.StatusInternalServerError:
		kind = provider.Retryable
	}
	return provider.Verdict{Kind: kind, Code: code}
}

// firstOf returns the first byte that is no white space, 0 if there is none.
func firstOf(body []byte) byte {
	for _, c := range body {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}
