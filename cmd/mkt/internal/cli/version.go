package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// Release is the newest release in CHANGELOG.md, which this code belongs to or follows.
const Release = "0.1.0"

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print the version of this binary",
		Example:     `  mkt version`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{WithoutConfig: ""},
		RunE:        func(*cobra.Command, []string) error { return env.printVersion() },
	}
}

func (env *Env) printVersion() error {
	if env.JSON() {
		return env.Encode(map[string]string{"release": Release, "version": env.Version, "go": runtime.Version(),
			"platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	_, err := fmt.Fprintf(env.Out, "mkt %s (commit %s, %s, %s/%s)\n", Release, env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
