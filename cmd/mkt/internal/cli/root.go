package cli

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/internal/cluster/store"
	"mkt/internal/terminal"
)

// Annotations of commands. [LongRunning] marks commands that log at info by default.
// [WithoutConfig] marks commands that also run if the named configuration does not exist.
const (
	LongRunning   = "long-running"
	WithoutConfig = "without-config"
)

// Section is a part of the list of all commands.
type Section struct {
	Title string
	Names string // of its commands, separated by blanks
}

// NewRoot builds the command tree. Settings are resolved and the log is opened
// before any command runs.
func NewRoot(env *Env, sections []Section, commands []*cobra.Command) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "mkt",
		Short: "Football markets: fetch, transform, publish, serve",
		Example: `  mkt demo
  mkt init /etc/mkt
  mkt cycle --tenant acme
  mkt serve --help`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return env.printVersion()
			}
			return showHelp(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd == cmd.Root(), cmd.HasParent() && cmd.Parent().Name() == "completion":
				return nil // works in every folder, whatever its mkt.yaml says
			case cmd.Name() == cobra.ShellCompRequestCmd:
				return nil // the command whose line is completed is prepared instead
			}
			if err := env.Prepare(cmd); err != nil {
				return err
			}
			if env.JSON() {
				return checkWithJSON(cmd.Flags())
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(words) > 0 {
			return subcommand(cmd, words) // its flags are unknown because the command is
		}
		var value *pflag.InvalidValueError
		if errors.As(err, &value) {
			return terminal.Usagef("--%s %q: %w", value.GetFlag().Name, value.GetValue(), flagError(value.GetFlag(), value.Unwrap()))
		}
		return terminal.Usagef("%w (%s --help shows the flags)", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&env.Config, "config", "mkt.yaml", "read the settings from this file [MKT_CONFIG]")
	flags.StringVar(&env.Data, "data", "data", "use this data root")
	flags.StringVar(&env.Tenants, "tenants", "tenants.yaml", "read the accounts from this file")
	flags.StringVar(&env.StoreURL, "store", "", "use this object store for the publications: s3://bucket/prefix?region=… (default: none, only this machine)")
	flags.BoolVar(&env.SharedTenants, "tenants-in-store", false, "keep the accounts in the object store, and a copy of them in the file of --tenants")
	flags.Var(&env.output, "output", "print text for people or json for scripts")
	flags.Var(&env.logLevel, "log-level", "log messages of this level and above (default: info for commands that run until they are stopped, else off)")
	flags.Var(&env.logFormat, "log-format", "write the log on stderr in this format")
	root.Flags().BoolVar(&version, "version", false, "print the version of this binary")
	env.Settings.BindPath(flags, "data", "data")
	env.Settings.BindPath(flags, "tenants", "tenants")
	env.Settings.Bind(flags, "store", "store")
	env.Settings.Bind(flags, "tenants-in-store", "tenants_in_store")
	env.Settings.Bind(flags, "output", "output")
	env.Settings.Bind(flags, "log-level", "log.level")
	env.Settings.Bind(flags, "log-format", "log.format")

	env.setUpHelp(root)
	for _, section := range sections {
		root.AddGroup(&cobra.Group{ID: section.Title, Title: section.Title + ":"})
		for _, cmd := range commands {
			if slices.Contains(strings.Fields(section.Names), cmd.Name()) {
				cmd.GroupID = section.Title
			}
		}
	}
	root.AddCommand(commands...)
	root.AddCommand(newVersion(env))
	env.addBuiltins(root)
	checkUsage(root)
	env.addCompletions(root)
	return root
}

// Prepare resolves the settings of a command before its run.
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
		return terminal.Usagef("--data and --tenants (%s, %s): want a path, not an empty text", envName("data"), envName("tenants"))
	}
	if env.StoreURL != "" {
		if err := store.CheckURL(env.StoreURL); err != nil {
			return terminal.Usagef("--store: %w", err)
		}
	}
	if env.SharedTenants && env.StoreURL == "" {
		return terminal.Usagef("--tenants-in-store: %w", ErrNoStore)
	}
	level := logOff
	if _, service := cmd.Annotations[LongRunning]; service {
		level = slog.LevelInfo
	}
	env.openLog(level)
	return nil
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// subcommand rejects an unknown command, with cobra's suggestions or else the commands of the group.
// Without a word the help is shown.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	hint, where := "", cmd.CommandPath()+" --help lists"
	if near := slices.Compact(cmd.SuggestionsFor(args[0])); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	} else if cmd.HasParent() {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		hint = ": want " + strings.Join(names, " or ")
	}
	if !cmd.HasParent() {
		where = cmd.Name() + " help all lists"
	}
	return terminal.Usagef("unknown command %q%s (%s them)", args[0], hint, where)
}

// Group returns a command for subcommands, without work of its own. Its examples are the first of
// each of theirs, four at most.
func Group(name, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: subcommand, RunE: showHelp}
	cmd.AddCommand(below...)
	var examples []string
	for _, c := range below {
		first, _, _ := strings.Cut(c.Example, "\n")
		examples = append(examples, first)
	}
	cmd.Example = strings.Join(examples[:min(len(examples), 4)], "\n")
	return cmd
}

// argumentError names the missing argument, or reports too many of them.
func argumentError(cmd *cobra.Command, args []string) error {
	var needed []string
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.ContainsAny(word[:1], "-[|") {
			break
		}
		needed = append(needed, word)
	}
	line := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	switch {
	case len(args) < len(needed):
		return terminal.Usagef("%s is missing: %s (%s --help shows an example)", needed[len(args)], line, cmd.CommandPath())
	case len(needed) == 0 && !strings.Contains(cmd.Use, "["):
		return terminal.Usagef("%s takes no argument, and got %q (%[1]s --help shows the flags)", cmd.CommandPath(), args[0])
	}
	return terminal.Usagef("%s are too many: %s (a text with blanks needs quotes; %s --help shows an example)", terminal.Plural(len(args), "argument"), line, cmd.CommandPath())
}

// checkUsage makes wrong arguments of each command an error of usage.
func checkUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if _, ours := err.(terminal.UsageError); err == nil || ours {
				return err
			}
			return argumentError(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		checkUsage(c)
	}
}
