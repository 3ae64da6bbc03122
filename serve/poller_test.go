package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"
)

type poller struct {
	history *history
	random  *rand.Rand
	cursor  string
	at      atomic.Uint64 // the last seq seen
	invalid int
}

func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		p.poll(ctx)
		time.Sleep(time.Duration(p.random.IntN(20)) * time.Millisecond)
	}
}

// poll requests one page. While a server is being restarted, there is no answer or a 503.
func (p *poller) poll(ctx context.Context) {
	w := p.history.w
	p.history.mu.Lock()
	url, first := w.url, p.history.first
	p.history.mu.Unlock()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/api/v1/changes?limit=%d%s", url, 1+p.random.IntN(200), p.cursor), nil)
	must(w.t, err)
	q.Header.Set("Authorization", "Bearer "+w.token("acme"))
	a, err := client.Do(q)
	if err != nil {
		return
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return
	}
	switch r := (reply{a.StatusCode, a.Header, string(text)}); {
	case r.code() == "SERVICE_UNAVAILABLE", r.code() == "DATA_NOT_READY":
	case r.code() == "INVALID_CURSOR":
		p.history.mu.Lock()
		first = max(first, p.history.first)
		p.history.mu.Unlock()
		if p.at.Load()+1 >= first {
			w.t.Errorf("INVALID_CURSOR at %d, and the window begins at %d", p.at.Load(), first)
		}
		p.cursor = ""
		p.invalid++
	case r.status == http.StatusOK:
		p.take(text)
	default:
		w.t.Errorf("poller: %d %s", r.status, r.body)
	}
}

// take checks that a page has the next events, and the same ones as before.
func (p *poller) take(body []byte) {
	t := p.history.w.t
	var page struct {
		Data       []json.RawMessage
		Pagination struct {
			Next string `json:"next_cursor"`
		}
	}
	must(t, json.Unmarshal(body, &page))
	for i, e := range page.Data {
		seq := seqOf(t, e)
		if i == 0 && p.cursor == "" && seq > p.at.Load() {
			p.at.Store(seq - 1) // it paged through the fixtures instead
		}
		if seq != p.at.Load()+1 {
			t.Errorf("poller: seq %d after %d", seq, p.at.Load())
		}
		p.history.mu.Lock()
		if before, known := p.history.events[seq]; known && before != string(e) {
			t.Errorf("poller: seq %d was %s and is %s", seq, before, e)
		}
		p.history.mu.Unlock()
		p.at.Store(seq)
	}
	p.cursor = "&cursor=" + page.Pagination.Next
}
