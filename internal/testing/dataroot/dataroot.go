// Package dataroot makes data roots for tests with the real stages, from a test's own payloads or
// from the provider simulator.
package dataroot

import (
	"context"
	"errors"
	"time"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/transform"
	"mkt/transform/identity"
)

// Secret is the credential accepted by the simulator.
const Secret = "12345-CANARYcanary99"

// Key is the default id key of the data roots.
var Key = identity.Key{1, 2, 3}

// Began is when the first cycle begins.
var Began = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)

// Product is one product of the account acme, whose cycles are run as mkt cycle runs them.
type Product struct {
	Name       football.Product
	Root, Data durable.FS
	Key        identity.Key
	Version    string
	Retention  retention.Policy
	// Tenant is the account to fetch for. Open opens its credential; nil means [Secret].
	Tenant provider.Tenant
	Open   func(sealed, tenant, provider string) (credential.Secret, error)
}

// Simulate starts a provider simulator until ctx ends, and returns its base URL.
func Simulate(ctx context.Context, fixtures int) (url string, err error) {
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: fixtures, Tokens: map[string]simulator.Account{Secret: {}}})
	if err != nil {
		return "", err
	}
	url, _, err = simulator.Listen(ctx, sim, "127.0.0.1:0")
	return url, err
}

// Fetching returns the tenant acme of a simulator.
func Fetching(url string) provider.Tenant {
	return provider.Tenant{ID: "acme", Provider: "betsapi", SealedCredential: "sealed", BaseURL: url, AllowPrivateAddress: true}
}

// Cycle fetches, transforms and publishes a cycle beginning at a time.
func (p Product) Cycle(ctx context.Context, at time.Time) error {
	if err := p.Fetch(ctx, at); err != nil {
		return err
	}
	return p.Process(ctx, at)
}

// Fetch fetches a cycle beginning at a time.
func (p Product) Fetch(ctx context.Context, at time.Time) error {
	open := p.Open
	if open == nil {
		open = func(string, string, string) (credential.Secret, error) { return credential.NewSecret(Secret), nil }
	}
	_, err := fetch.Run(ctx, fetch.Options{Tenant: p.Tenant, Product: p.Name, Root: p.Root, Open: open, Provider: all.Lookup, Now: fixed(at)})
	return err
}

// Processing is the time between transform and publish.
const Processing = 77 * time.Millisecond

// Process transforms and publishes the newest raw cycle.
func (p Product) Process(ctx context.Context, at time.Time) error {
	if err := p.Transform(ctx, at); err != nil {
		return err
	}
	s, err := publish.Run(ctx, publish.Options{ClientID: "acme", Product: p.Name, Root: p.Root, Now: fixed(at.Add(Processing)), Version: p.Version, Retention: p.Retention,
		Check: func(context.Context, layout.CycleID, string) error { return nil }})
	if err == nil && s.Version == 0 {
		err = errors.New("nothing was published")
	}
	return err
}

// Transform transforms the newest raw cycle.
func (p Product) Transform(ctx context.Context, at time.Time) error {
	_, err := transform.Run(ctx, transform.Options{ClientID: "acme", Product: p.Name, Root: p.Root, Data: p.Data, Key: p.Key, Now: fixed(at), Version: p.Version})
	return err
}

func fixed(at time.Time) func() time.Time { return func() time.Time { return at } }
