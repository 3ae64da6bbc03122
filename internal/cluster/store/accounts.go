package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"golang.org/x/sync/errgroup"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Accounts are the versions of tenants.yaml in the store, from 1. A version is written once, by
// the rule of a commit record: the log entries of its edit come first, under a name with the hash
// of the version.
type Accounts struct{ objects object.Set }

// Accounts returns the accounts kept in the store.
func (s *Store) Accounts() *Accounts { return &Accounts{s.objects} }

func accountsName(n uint64) string { return fmt.Sprintf("accounts/%020d.yaml", n) }

func accountsLog(n uint64, file []byte) string {
	return fmt.Sprintf("accounts/%020d-%.16s.log", n, durable.Hash(file))
}

// Newest returns the number of the newest version, 0 if there is none. from is the number of an
// existing version, or 0. If there is no newer one, this costs one request.
func (a *Accounts) Newest(ctx context.Context, from uint64) (uint64, error) {
	there, missing := from, uint64(math.MaxUint64)
	for step := uint64(1); missing-there > 1; {
		n := there + min(step, (missing-there)/2)
		_, found, err := a.objects.Exists(ctx, accountsName(n))
		switch {
		case err != nil:
			return 0, err
		case found:
			there, step = n, step*2
		default:
			missing, step = n, math.MaxUint64
		}
	}
	return there, nil
}

// Read returns a version.
func (a *Accounts) Read(ctx context.Context, n uint64) ([]byte, error) {
	return a.objects.Get(ctx, accountsName(n))
}

// Log returns the log entries for the edits of versions first to last, in their order.
func (a *Accounts) Log(ctx context.Context, first, last uint64) ([]byte, error) {
	if first > last {
		return nil, nil
	}
	logs := make([][]byte, last-first+1)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(copiesAtOnce)
	for i := range logs {
		g.Go(func() error {
			file, err := a.Read(ctx, first+uint64(i))
			if err == nil {
				logs[i], err = a.objects.Get(ctx, accountsLog(first+uint64(i), file))
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it was put there without mkt
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return bytes.Join(logs, nil), nil
}

// Commit makes version n, with the log entries of its edit. The error is [snapshot.ErrConflict]
// if there is a version of this number.
func (a *Accounts) Commit(ctx context.Context, n uint64, file, log []byte) error {
	if err := a.objects.Put(ctx, accountsLog(n, file), durable.Bytes(log)); err != nil {
		return err
	}
	err := a.objects.Create(ctx, accountsName(n), file)
	if errors.Is(err, snapshot.ErrConflict) {
		return fmt.Errorf("%s: %w", accountsName(n), snapshot.ErrConflict)
	}
	return err
}
