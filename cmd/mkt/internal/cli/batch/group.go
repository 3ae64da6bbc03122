// Package batch has the commands that run the stages: once, as a cycle, on a schedule, or again
// from the archive.
package batch

import (
	"sync"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/cli/lease"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/internal/cluster/store"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	Keys     cli.Keys
	Provider func(name string) (provider.Provider, bool)
	Unsynced bool // a power failure may lose written files

	leases    lease.Leases
	revoked   daemon.Revocations
	bars      bool // the progress of every step is shown: not on a schedule, which logs
	storeOnce sync.Once
	storeRuns *store.Runs // see runs
	printing  sync.Mutex  // held while a report is printed
}

// NewGroup returns a group with all providers.
func NewGroup(env *cli.Env) *Group { return &Group{Env: env, Provider: all.Lookup} }

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := NewGroup(env)
	return []*cobra.Command{newFetch(g), newTransform(g), newPublish(g), newCycle(g), newSchedule(g),
		newReplay(g), newCheck()}
}
