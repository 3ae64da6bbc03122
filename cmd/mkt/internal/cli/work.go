package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mkt/internal/coordination"
	"mkt/publish/layout"
)

// Work is the setting for the NATS servers over which several machines share the cycles.
type Work struct {
	text string // may hold a password: it is never printed
}

// Flag adds the flag --work.
func (w *Work) Flag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.text, "work", "", "NATS servers over which several machines share the cycles, such as nats://a,b,c (default: only this machine runs cycles)")
	set.Bind(cmd.Flags(), "work", "work")
}

// Set reports whether there is such a setting.
func (w *Work) Set() bool { return w.text != "" }

// Address returns the parsed setting.
func (w *Work) Address() (coordination.Address, error) {
	a, err := coordination.Parse(w.text)
	if err != nil {
		return a, Usagef("--work (MKT_WORK, work in mkt.yaml): %w", err)
	}
	return a, nil
}

// Open opens a connection; it does not wait for a server. installation is the fingerprint of the
// id key, "" if it is not known.
func (w *Work) Open(env *Env, use coordination.Use, installation string) (*coordination.Conn, error) {
	a, err := w.Address()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return coordination.Open(coordination.Options{Address: a, Use: use, Name: fmt.Sprintf("%s (process %d)", host, os.Getpid()), Version: env.Version,
		Installation: installation, Now: env.Now, Log: env.Log})
}

// How long a command waits for NATS, and for a new store of leases. From a new one nothing is taken
// for some seconds.
const (
	natsWait  = 4 * time.Second
	leaseWait = 25 * time.Second
)

// Connect opens the connection of a command that runs once, and waits until leases can be taken.
func (w *Work) Connect(ctx context.Context, env *Env, installation string) (*coordination.Conn, error) {
	conn, err := w.Open(env, coordination.ForLeases, installation)
	if err != nil {
		return nil, err
	}
	if err := awaitLeases(ctx, env, conn); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w; if no other machine runs cycles, --work= runs this without a lease", err)
	}
	return conn, nil
}

func awaitLeases(ctx context.Context, env *Env, conn *coordination.Conn) error {
	wait := func(most time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		return conn.Wait(ctx)
	}
	err := wait(natsWait)
	var trouble *coordination.Trouble
	if errors.As(err, &trouble) && trouble.Code == coordination.Starting {
		fmt.Fprintln(env.Errs, "mkt: "+trouble.What)
		err = wait(leaseWait)
	}
	return err
}

// IDKeyFingerprint returns the fingerprint of the id key recorded in the data root, "" if there is
// none, or its record is damaged.
func (env *Env) IDKeyFingerprint() string {
	data, err := os.ReadFile(filepath.Join(env.Data, layout.IDKeyFingerprintFile))
	if err != nil {
		return ""
	}
	return layout.ParseIDKeyFingerprint(data)
}

// isTemporaryWork reports whether err is trouble with NATS that may pass by itself.
func isTemporaryWork(err error) bool {
	var trouble *coordination.Trouble
	return errors.As(err, &trouble) && trouble.Temporary() || errors.Is(err, coordination.ErrLost)
}
