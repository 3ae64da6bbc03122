package simulator_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
)

func TestListenUntilTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url, done, err := simulator.Listen(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "here")
	}), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "here" {
		t.Errorf("%q, %v", body, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := http.Get(url); err == nil {
		t.Error("still there after the end")
	}
}

// A fault may keep a request for good; the end does not wait for it.
func TestListenEndsOverAHangingRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reached := make(chan struct{})
	url, done, err := simulator.Listen(ctx, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	}), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go http.Get(url)
	<-reached
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("does not end")
	}
}

func TestListenNamesTheAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	if _, _, err := simulator.Listen(t.Context(), http.NotFoundHandler(), address); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("a taken address: %v", err)
	}
}
