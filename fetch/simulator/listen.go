package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Listen serves a simulator on an address until ctx ends; port 0 takes a free one. It
// returns at once, with the base URL and a channel that gets one value, nil after a clean
// end, when everything has stopped.
func Listen(ctx context.Context, h http.Handler, address string) (baseURL string, done <-chan error, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // silent: it would report deliberate faults
	}
	served, ended := make(chan error, 1), make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	go func() {
		select {
		case err := <-served:
			ended <- err
		case <-ctx.Done():
			ended <- stop(server)
		}
	}()
	return "http://" + l.Addr().String(), ended, nil
}

// stop waits a second for the requests in progress: a fault may block one for ever.
func stop(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
