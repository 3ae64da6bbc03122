package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

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
		return env.Encode(map[string]string{"version": env.Version, "go": runtime.Version(),
			"platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	_, err := fmt.Fprintf(env.Out, "mkt %s (%s, %s/%s)\n", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
