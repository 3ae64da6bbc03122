package cli

import (
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// longRunning marks commands that log at info unless told otherwise.
// withoutConfig marks those for which the configuration may be missing, also
// when it is named: init makes it, version needs none.
const (
	LongRunning   = "long-running"
	WithoutConfig = "without-config"
)

// newRoot builds the command tree. Settings are resolved and the log is opened
// before any command runs.
func NewRoot(env *Env, commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "mkt",
		Short:         "Football markets: fetch, transform, publish, serve",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE:          showHelp,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return env.Prepare(cmd)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var value *pflag.InvalidValueError
		if errors.As(err, &value) {
			return Usagef("--%s %q: %w", value.GetFlag().Name, value.GetValue(), worded(value.GetFlag(), value.Unwrap()))
		}
		return Usagef("%w (%s --help shows the flags)", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&env.Config, "config", "mkt.yaml", "configuration file [MKT_CONFIG]")
	flags.StringVar(&env.Data, "data", "data", "data root")
	flags.StringVar(&env.Tenants, "tenants", "tenants.yaml", "accounts")
	flags.Var(&env.output, "output", "what is printed: text for people, json for scripts")
	flags.Var(&env.logLevel, "log-level", "least level logged (default: info for commands that run on, else off)")
	flags.Var(&env.logFormat, "log-format", "form of the log on stderr")
	env.Settings.BindPath(flags, "data", "data")
	env.Settings.BindPath(flags, "tenants", "tenants")
	env.Settings.Bind(flags, "output", "output")
	env.Settings.Bind(flags, "log-level", "log.level")
	env.Settings.Bind(flags, "log-format", "log.format")

	root.AddCommand(append(commands, newVersion(env))...)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args, completion.RunE = subcommand, showHelp
	}
	checkUsage(root)
	return root
}

// Prepare resolves the settings of the command that is about to run.
func (env *Env) Prepare(cmd *cobra.Command) error {
	named := cmd.Flags().Changed("config")
	if path, ok := os.LookupEnv(envName("config")); ok && !named {
		env.Config, named = path, true
	}
	_, without := cmd.Annotations[WithoutConfig]
	if err := env.Settings.Read(env.Config, named && !without); err != nil {
		return err
	}
	if err := env.Settings.Resolve(cmd.Flags()); err != nil {
		return err
	}
	if env.Data == "" || env.Tenants == "" {
		return Usagef("--data and --tenants (%s, %s): want a path, not nothing", envName("data"), envName("tenants"))
	}
	level := logOff
	if _, service := cmd.Annotations[LongRunning]; service {
		level = slog.LevelInfo
	}
	env.openLog(level)
	return nil
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// subcommand refuses a word that is no command; none at all shows the help.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = ": did you mean " + near[0] + "?"
	}
	return Usagef("unknown command %q%s (%s --help lists them)", args[0], hint, cmd.CommandPath())
}

// Group is a command that only has others below it.
func Group(name, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: subcommand, RunE: showHelp}
	cmd.AddCommand(below...)
	return cmd
}

// checkUsage makes wrong arguments of every command a usage error.
func checkUsage(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if _, worded := err.(usageError); err == nil || worded {
				return err
			}
			return Usagef("%w: %s (--help tells more)", err, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		}
	}
	for _, c := range cmd.Commands() {
		checkUsage(c)
	}
}
