package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/accounts"
	"mkt/internal/scratch"
	"mkt/serve"
	"mkt/serve/account"
)

// api is an API server for the console's pages, on a loopback address of its own. Each
// account has a token of this server alone, which ends with it.
type api struct {
	group    *Group
	registry account.Registry

	mu     sync.Mutex
	tokens map[string]string // by account
}

// startAPI starts an API server until ctx is done.
func (g *Group) startAPI(ctx context.Context) (baseURL string, token func(account string) (string, bool), err error) {
	file, err := g.LoadTenants()
	if err != nil {
		return "", nil, err
	}
	a := &api{group: g, tokens: map[string]string{}}
	if err := a.swap(file); err != nil {
		return "", nil, err
	}
	private, err := scratch.Make("", "mkt-console-") // for the usage counters, which are not those of clients
	if err != nil {
		return "", nil, err
	}
	go daemon.NewReloads(g.Env).Watch(ctx, file, a.swap)
	ready, ended := make(chan string, 1), make(chan error, 1)
	g.apis.Go(func() {
		err := serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: g.Data, UsageDir: private.Dir, Accounts: &a.registry, Now: g.Now, Log: g.Log,
			Service: g.service, Words: daemon.ProviderWords(), Ready: func(url string) { ready <- url }})
		if err != nil {
			g.Log.Error("console: the API ended", "error", err)
		}
		if err := private.Remove(); err != nil {
			g.Log.Warn("the temporary folder was not removed", "error", err)
		}
		ended <- err
	})
	select {
	case baseURL = <-ready:
		return baseURL, a.token, nil
	case err := <-ended:
		return "", nil, errors.Join(errors.New("the API did not start"), err)
	}
}

// swap puts a generation of the accounts in force, in which the tokens are those of this
// server.
func (a *api) swap(f *accounts.File) error {
	own := *f
	own.Tenants = slices.Clone(f.Tenants)
	issued := map[string]string{}
	for i := range own.Tenants {
		t := &own.Tenants[i]
		token, entry, err := accounts.NewToken(a.group.Now())
		if err != nil {
			return err
		}
		t.Tokens, issued[t.ID] = []accounts.Token{entry}, token
	}
	generation, err := account.NewGeneration(own.Accounts(a.group.Now()))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.registry.Swap(generation)
	a.tokens = maps.Clone(issued)
	return nil
}

func (a *api) token(account string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	token, ok := a.tokens[account]
	return token, ok
}
