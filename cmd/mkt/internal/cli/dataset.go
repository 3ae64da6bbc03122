package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/internal/timetext"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// DatasetFlags adds the flags --tenant and --product.
func DatasetFlags(cmd *cobra.Command, w *dataset.Filter) {
	cmd.Flags().StringVar(&w.Tenant, "tenant", "", "select this account's data (default: all accounts, or the only one)")
	cmd.Flags().StringVar(&w.Product, "product", "", "select this product (default: all products, or the only one)")
}

// AllFlag adds the flag --all, which selects every account.
func AllFlag(cmd *cobra.Command, w *dataset.Filter) {
	cmd.Flags().BoolVar(&w.All, "all", false, "select all accounts, which is the default")
}

// Dataset returns a dataset on the data root of the settings.
func (env *Env) Dataset(tenant string, product football.Product) dataset.Dataset {
	return dataset.Dataset{Data: env.Data, Tenant: tenant, Product: product}
}

// WithData opens the data root for writing.
func (env *Env) WithData(do func(*durable.Disk) error) error {
	data, err := durable.OpenRoot(env.Data)
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	return do(data)
}

// WithAccount opens the folder of an account for writing.
func WithAccount(data *durable.Disk, id string, do func(account durable.FS) error) error {
	account, err := data.MakeWithin(layout.Tenant(id))
	if err != nil {
		return err
	}
	defer account.Close()
	return do(account)
}

// Each calls do with each selected dataset. The verb names the work in the error of a failed one.
func (env *Env) Each(verb string, w dataset.Filter, do func(dataset.Dataset) error) error {
	list, err := dataset.List(env.Data, w)
	if err != nil {
		return err
	}
	failed := Failures{Of: len(list)}
	for _, d := range list {
		if err := do(d); err != nil {
			failed.Add(env, fmt.Errorf("%s %s: %w", verb, d, err))
		}
	}
	return failed.Err()
}

// MomentArg reads a moment from an argument or flag.
func (env *Env) MomentArg(name, text string) (snapshot.Moment, error) {
	m, err := snapshot.ParseMoment(text, env.Now())
	if err != nil {
		return m, terminal.Usagef("%s %w", name, err)
	}
	if at, isTime := m.Time(); isTime && m.String() != strings.TrimSpace(text) {
		env.sayTime(name, text, at)
	}
	return m, nil
}

// TimeArg reads a time from an argument or flag; "" is the zero time.
func (env *Env) TimeArg(name, text string, kind timetext.Kind) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, exact, err := kind.Parse(text, env.Now())
	if err != nil {
		return at, terminal.Usagef("%s %q: %w; want %s", name, text, err, kind.Forms)
	}
	if !exact {
		env.sayTime(name, text, at)
	}
	return at, nil
}

// sayTime says beside the answer which time was meant by words, with its zone. The answer itself is the
// same as for that time.
func (env *Env) sayTime(name, text string, at time.Time) {
	said := struct {
		Arg  string    `json:"argument"`
		Text string    `json:"text"`
		At   time.Time `json:"at"`
	}{name, text, at}
	if line, err := JSONLine(said); env.JSON() && err == nil {
		_, _ = env.Errs.Write(line)
		return
	}
	printable.Fprintf(env.Errs, "mkt: %s %q is %s\n", name, text, terminal.ClockTime(at))
}

// IsInside reports whether a folder is another one or below it, with all symbolic links resolved.
// No folder is inside one that does not exist.
func IsInside(dir, other string) (bool, error) {
	folder, err := realPath(dir)
	if err != nil {
		return false, err
	}
	root, err := realPath(other)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	way, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(way), nil
}

// realPath returns an absolute path without symbolic links.
func realPath(name string) (string, error) {
	// The folder of the process may itself have been reached by a link.
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
