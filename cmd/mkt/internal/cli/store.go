package cli

import (
	"context"
	"errors"

	"mkt/internal/cluster/store"
)

// ErrNoStore: the command needs an object store, and the settings have none.
var ErrNoStore = errors.New("no object store: give --store s3://bucket/prefix, or the setting store in mkt.yaml")

// HasStore reports whether publications are in an object store.
func (env *Env) HasStore() bool { return env.StoreURL != "" }

// Store opens the object store of the settings for reading: [ErrNoStore] if there is none.
func (env *Env) Store(ctx context.Context) (*store.Store, error) {
	env.objects.mu.Lock()
	defer env.objects.mu.Unlock()
	return env.openStore(ctx)
}

func (env *Env) openStore(ctx context.Context) (*store.Store, error) {
	if env.StoreURL == "" {
		return nil, ErrNoStore
	}
	if env.objects.store != nil {
		return env.objects.store, nil
	}
	s, err := store.Open(context.WithoutCancel(ctx), store.Options{URL: env.StoreURL, Now: env.Now, Log: env.Log})
	if err == nil {
		env.objects.store = s
	}
	return s, err
}

// WritableStore is [Env.Store] for commands that write. The first call of a process checks whether
// the store honours create-if-absent: one that would overwrite an object is an error.
func (env *Env) WritableStore(ctx context.Context) (*store.Store, error) {
	env.objects.mu.Lock()
	defer env.objects.mu.Unlock()
	s, err := env.openStore(ctx)
	if err != nil || env.objects.probed {
		return s, err
	}
	if err := s.Probe(ctx); err != nil {
		return nil, err
	}
	env.objects.probed = true
	return s, nil
}
