package raw

import (
	"sync"
	"sync/atomic"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
)

// Received keeps the accepted answers of a cycle in memory, from its fetch to its transform in
// the same process, so they need not be decompressed, hashed and parsed a second time. An
// answer is found by its hash, so it is the archived one whatever the cycle. A nil
// *Received keeps nothing. It is safe for concurrent use.
type Received struct {
	mu      sync.Mutex
	answers map[string]*strictjson.Document // by SHA-256
	bytes   int64                           // of their bodies
}

// mostReceived bounds the answers that all runs of the process keep together, in bytes of
// their bodies; their documents have three times as much. A cycle of 300 fixtures in play has
// 1 MB.
const mostReceived = 6 << 20

// received is how many bytes are kept.
var received atomic.Int64

// Keep keeps an answer that was archived as r, unless too many are kept. It returns the answer,
// without its document if it is not kept.
func (k *Received) Keep(r Response, p provider.Payload) provider.Payload {
	if p.Document == nil || k.add(r, p) {
		return p
	}
	decode.Release(p.Document)
	p.Document = nil
	return p
}

func (k *Received) add(r Response, p provider.Payload) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, twice := k.answers[r.SHA256]; twice {
		return false
	}
	if received.Add(r.Bytes) > mostReceived {
		received.Add(-r.Bytes)
		return false
	}
	if k.answers == nil {
		k.answers = make(map[string]*strictjson.Document)
	}
	k.answers[r.SHA256] = p.Document
	k.bytes += r.Bytes
	return true
}

// find returns the document of an answer, nil if it is not kept.
func (k *Received) find(r Response) *strictjson.Document {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answers[r.SHA256]
}

// Release forgets all answers. None of their documents may be used after that.
func (k *Received) Release() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range k.answers {
		decode.Release(d)
	}
	received.Add(-k.bytes)
	k.answers, k.bytes = nil, 0
}
