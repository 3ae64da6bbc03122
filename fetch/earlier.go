package fetch

import (
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/health"
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
	last, err := health.Read(r.Root, "fetch")
	if !adapter.Conditional || prior.Provider != adapter.Name || err != nil || last == nil || last.CredentialFingerprint != r.Tenant.Fingerprint {
		return e
	}
	if e.archive, err = raw.Open(r.Root, prior.CycleID); err != nil {
		return earlier{}
	}
	e.tagged = make(map[string]raw.Response)
	for _, response := range e.archive.Responses() {
		if response.Accepted() && response.Header[headerTag] != "" {
			e.tagged[response.Path+"?"+response.Query.Encode()] = response
		}
	}
	return e
}

const headerTag = "Etag"

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
