package fetch

import (
	"regexp"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
)

// earlier has the answers of the cycle before, for conditional requests (RFC 9110, section
// 13.1.2). Its zero value has none.
type earlier struct {
	archive *raw.Archive
	tagged  map[string]raw.Response // with an entity tag, by path and query
}

// earlierOf opens the cycle before, if it is of the same connection. One that cannot be read
// has no answers: then everything is requested in full.
func (r *run) earlierOf(adapter provider.Provider, archive *raw.Writer) (e earlier) {
	prior := archive.Prior()
	if !adapter.Conditional || prior.Provider != adapter.Name || prior.Connection != r.connection() {
		return e
	}
	var err error
	if e.archive, err = raw.Open(r.Root, prior.CycleID); err != nil {
		return earlier{}
	}
	e.tagged = make(map[string]raw.Response)
	for _, response := range e.archive.Responses() {
		if response.Accepted() && isTag(response.Header[headerTag]) {
			e.tagged[response.Path+"?"+response.Query.Encode()] = response
		}
	}
	return e
}

const headerTag = "Etag"

// isTag reports whether a text is an entity tag as it was sent: what is masked in an archive is none.
var isTag = regexp.MustCompile(`^(W/)?"[!#-Z\^-z|~]*"$`).MatchString

// connection returns a hash of whom the account asks, and with which credential. An entity tag
// means nothing to another one.
func (r *run) connection() string {
	return durable.Hash([]byte(r.Tenant.Fingerprint + "\n" + r.Tenant.BaseURL))[:16]
}

// of returns the entity tag and the content of a request's answer in the cycle before; "" if
// there is none that can be read.
func (e earlier) of(r provider.Request) (tag string, body []byte) {
	response, ok := e.tagged[r.Path+"?"+r.Query.Encode()]
	if !ok {
		return "", nil
	}
	body, err := e.archive.Body(response)
	if err != nil {
		return "", nil
	}
	return response.Header[headerTag], body
}
