// Package demo has the commands for an emulated provider: the emulator itself, and the whole
// system on it.
package demo

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/accounts"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/browser"
	"mkt/cmd/mkt/internal/cli/serving"
	"mkt/fetch/provider"
	"mkt/internal/terminal"
)

// Group is the whole system in one process: accounts, their cycles, and the API.
type Group struct {
	*cli.Env
	Batch   *batch.Group
	Serving *serving.Group
	Browser *browser.Group

	starting *terminal.Bar // how far the demo is with its start
	logging  sync.Mutex    // held while publications are added to the transparency log
}

// NewGroup returns a system with the settings of env.
func NewGroup(env *cli.Env) *Group {
	return &Group{Env: env, Batch: batch.NewGroup(env), Serving: &serving.Group{Env: env}, Browser: &browser.Group{Env: env}}
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := NewGroup(env)
	return []*cobra.Command{newSimulate(g), newDemo(g)}
}

// MakeFiles makes accounts, keys and settings in a folder and sets the paths of the system to it.
func (g *Group) MakeFiles(dir string) error {
	if _, err := accounts.MakeFiles(dir); err != nil {
		return err
	}
	g.Data = filepath.Join(dir, "data")
	g.Tenants = filepath.Join(dir, "tenants.yaml")
	g.StoreURL, g.SharedTenants = "", false // whatever the settings say: its data is emulated
	g.Batch.Keys = cli.Keys{Seal: filepath.Join(dir, "seal.key"), ID: filepath.Join(dir, "id.key")}
	g.Browser.Keys = g.Batch.Keys
	return nil
}

// SetClock gives the system a clock of its own and sets it to a time. A power failure may lose
// its data, and requests to its providers are not spaced out.
func (g *Group) SetClock(at time.Time) *Clock {
	clock := &Clock{real: g.Now}
	clock.Show(at)
	g.Now, g.Batch.Unsynced = clock.Now, true
	lookup := g.Batch.Provider
	g.Batch.Provider = func(name string) (provider.Provider, bool) {
		p, ok := lookup(name)
		p.Budget.Burst = burst
		return p, ok
	}
	return clock
}
