package reader

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// inOrder has workers turn the values from produce into results, and passes the results to
// consume in the order of these values. emit returns false if the work was
// cancelled. At most two batches per worker are in progress.
func inOrder[In, Out any](ctx context.Context, workers int, produce func(emit func(In) bool) error,
	work func(In) (Out, error), consume func(Out) error) error {
	type job struct {
		in   In
		out  Out
		err  error
		done chan struct{}
	}
	parent := ctx
	group, ctx := errgroup.WithContext(parent)
	todo, order := make(chan *job, workers), make(chan *job, 2*workers)
	group.Go(func() error {
		defer func() { close(todo); close(order) }()
		return produce(func(in In) bool {
			j := &job{in: in, done: make(chan struct{})}
			for _, to := range []chan *job{order, todo} {
				select {
				case to <- j:
				case <-ctx.Done():
					return false
				}
			}
			return true
		})
	})
	for range workers {
		group.Go(func() error {
			for j := range todo {
				j.out, j.err = recovered(work, j.in)
				close(j.done)
			}
			return nil
		})
	}
	group.Go(func() error {
		for j := range order {
			select {
			case <-j.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if j.err != nil {
				return j.err
			}
			if err := consume(j.out); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(parent)
}

// recovered turns a panic over one batch into an error, because an invalid snapshot
// must not stop the server.
func recovered[In, Out any](work func(In) (Out, error), in In) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: render: %v", ErrInvalid, p)
		}
	}()
	return work(in)
}
