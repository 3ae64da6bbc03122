package listen

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// ServeUntil answers until ctx is done, and then ends the requests under way, for at most a time. It closes
// the listener.
func ServeUntil(ctx context.Context, server *http.Server, l net.Listener, atMost time.Duration) error {
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), atMost)
		defer cancel()
		stopped <- server.Shutdown(last)
	})()
	err := server.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		if err = <-stopped; errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
	}
	return err
}
