package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/internal/cluster"
	"mkt/internal/terminal"
	"mkt/publish/layout"
)

// Redis is the setting for the server that several machines share.
type Redis struct {
	text string // may hold a password: it is never printed
}

// Flag adds the flag --redis. The settings do not check the value, because they would print a
// bad one: [Redis.Address] does.
func (r *Redis) Flag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.text, "redis", "", "share cycles, news and limits with other machines through Redis or Valkey, such as redis://10.0.0.5:6379; put a URL with a password into mkt.yaml or the variable (default: this machine is alone)")
	set.Bind(cmd.Flags(), "redis", "redis")
}

// Set reports whether there is such a setting.
func (r *Redis) Set() bool { return r.text != "" }

// Address returns the parsed setting, the zero address if there is none.
func (r *Redis) Address() (cluster.Address, error) {
	a, err := cluster.ParseAddress(r.text)
	if err != nil {
		return a, terminal.Usagef("--redis (MKT_REDIS, redis in mkt.yaml): %w", err)
	}
	return a, nil
}

// Open opens a connection; it does not wait for the server. installation is the fingerprint of the
// id key, "" if it is not known.
func (r *Redis) Open(env *Env, installation string) (*cluster.Conn, error) {
	a, err := r.Address()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return cluster.Open(cluster.Options{Address: a, Name: fmt.Sprintf("%s (process %d)", host, os.Getpid()),
		Installation: installation, Now: env.Now, Log: env.Log}), nil
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

// isWithoutLease reports whether err is the lack of a lease that the same command may get later.
func isWithoutLease(err error) bool {
	var away *cluster.AwayError
	return errors.As(err, &away) && away.Outcome != cluster.Refused || errors.Is(err, cluster.ErrLost)
}
