package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/evidence/names"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// completer lists the possible values of an argument or a flag. word is the part typed so far.
type completer func(env *Env, cmd *cobra.Command, word string) []cobra.Completion

// flagCompleters complete the values of flags, by the flag's name.
var flagCompleters = map[string]completer{
	"tenant":   accountIDs,
	"product":  fixed(dataset.ProductNames),
	"provider": fixed(accounts.ProviderNames),
	"feature":  fixed(accounts.Features),
	"fixture":  fixtureNames,
	"cycle":    cycleIDs,
	"at":       cycleIDs,
	"as-of":    cycleIDs,
	"from":     cycleIDs,
	"to":       cycleIDs,
}

// argumentCompleters complete arguments, by their names in the usage line.
var argumentCompleters = map[string]completer{
	"ID":      accountIDs,
	"PRODUCT": fixed(dataset.ProductNames),
	"FEATURE": fixed(accounts.Features),
	"FIXTURE": fixtureNames,
	"CYCLE":   cycleIDs,
	"A":       cycleIDs,
	"B":       cycleIDs,
	"MARKET":  fixed(marketNames),
}

// ownCompleters complete the first argument of commands for which its name says too little.
var ownCompleters = map[string]completer{
	"mkt explain":    fixtureNames,
	"mkt history":    fixtureNames,
	"mkt tenant add": fixed(func() []string { return nil }),
}

// paths are the arguments for a file or folder.
var paths = []string{"DIR", "FILE"}

// addCompletions completes the values of a command's flags and arguments, and of those below it.
func (env *Env) addCompletions(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { env.completeFlag(cmd, f) })
	if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = env.completeArguments(cmd)
	}
	for _, below := range cmd.Commands() {
		if !slices.Contains([]string{"help", "completion"}, below.Name()) {
			env.addCompletions(below)
		}
	}
}

func (env *Env) completeFlag(cmd *cobra.Command, f *pflag.Flag) {
	complete, known := flagCompleters[f.Name]
	value := f.Value
	if b, is := value.(bounded); is {
		value = b.Value
	}
	choice, isChoice := value.(*Choice)
	switch {
	case isChoice:
		complete = fixed(func() []string { return choice.words })
	case known:
	case slices.Contains([]string{"int", "uint64", "float64", "duration"}, value.Type()):
		complete = fixed(func() []string { return nil })
	default:
		return // the shell offers files
	}
	// The only possible error is an earlier registration.
	_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return env.complete(cmd, complete, word)
	})
}

var argumentName = regexp.MustCompile(`^[\[(]*([A-Z]+)`)

// completeArguments reads the names of the arguments from the usage line.
func (env *Env) completeArguments(cmd *cobra.Command) cobra.CompletionFunc {
	var names []string
	words := strings.Fields(cmd.Use)[1:]
	for i, word := range words {
		flag := i > 0 && strings.HasPrefix(strings.TrimLeft(words[i-1], "["), "--") // its value
		if name := argumentName.FindStringSubmatch(word); name != nil && !flag {
			names = append(names, name[1])
		}
	}
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		name := names[len(args)]
		if slices.Contains(paths, name) {
			return nil, cobra.ShellCompDirectiveDefault
		}
		complete, known := ownCompleters[cmd.CommandPath()]
		if !known || len(args) > 0 {
			complete = argumentCompleters[name]
		}
		return env.complete(cmd, complete, word)
	}
}

// complete resolves the settings, which name the files to read, and completes a word. An
// unreadable file completes nothing.
func (env *Env) complete(cmd *cobra.Command, complete completer, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if complete == nil || env.Prepare(cmd) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []cobra.Completion
	for _, c := range complete(env, cmd, word) {
		if strings.HasPrefix(c, word) && len(list) < mostCompletions {
			list = append(list, c)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// Limits of completion, so that nobody waits for the shell.
const (
	mostCompletions  = 200
	mostPublications = 50 // newest of a dataset
)

// fixed completes the words of a list.
func fixed(words func() []string) completer {
	return func(*Env, *cobra.Command, string) []cobra.Completion { return words() }
}

func marketNames() (names []string) {
	for _, t := range football.Vocabulary() {
		names = append(names, t.Canonical)
	}
	return names
}

// accountIDs returns the accounts of tenants.yaml, and those only on the data root.
func accountIDs(env *Env, _ *cobra.Command, _ string) (list []cobra.Completion) {
	known := map[string]bool{}
	if f, err := env.CopiedTenants(); err == nil {
		for i := range f.Tenants {
			t := &f.Tenants[i]
			known[t.ID] = true
			list = append(list, cobra.CompletionWithDesc(t.ID, printable.Text(t.Name)))
		}
	}
	datasets, _ := dataset.List(env.Data, dataset.Filter{})
	for _, d := range datasets {
		if !known[d.Tenant] {
			known[d.Tenant] = true
			list = append(list, cobra.CompletionWithDesc(d.Tenant, "only on the data root"))
		}
	}
	return list
}

// filterOf returns the filter of the flags --tenant and --product.
func filterOf(cmd *cobra.Command) (w dataset.Filter) {
	for name, value := range map[string]*string{"tenant": &w.Tenant, "product": &w.Product} {
		if f := cmd.Flags().Lookup(name); f != nil {
			*value = strings.Trim(f.Value.String(), "[]") // of a list, its only element
		}
	}
	return w
}

// cycleIDs returns the newest publications, newest first.
func cycleIDs(env *Env, cmd *cobra.Command, _ string) (list []cobra.Completion) {
	datasets, _ := dataset.List(env.Data, filterOf(cmd))
	for _, d := range datasets {
		root, err := d.Open()
		if err != nil {
			continue
		}
		if head, found, err := snapshot.Head(root); err == nil && found {
			n := 0
			for c, err := range snapshot.Backward(root, head) {
				if n++; n > mostPublications {
					break
				}
				if err == nil {
					list = append(list, cobra.CompletionWithDesc(string(c.CycleID), d.Tenant+", published "+terminal.ClockTime(c.PublishedAt)))
				}
			}
		}
		root.Close()
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(b, a) })
	return slices.CompactFunc(list, func(a, b string) bool { // of two accounts
		idA, _, _ := strings.Cut(a, "\t")
		idB, _, _ := strings.Cut(b, "\t")
		return idA == idB
	})
}

// candidate is a fixture of a newest snapshot.
type candidate struct{ id, home, away string }

func (c candidate) named() string { return printable.Text(c.home + " - " + c.away) }

// fixtureNames returns words of the teams' names, which select a fixture, or ids if the word
// looks like one. Only plain words are returned, because names come from a provider and
// some shells insert a completion without quoting it.
func fixtureNames(env *Env, cmd *cobra.Command, word string) (list []cobra.Completion) {
	w := filterOf(cmd)
	switch path := cmd.CommandPath(); {
	case strings.HasPrefix(path, "mkt live "):
		w.Product = string(football.LiveIntelligence)
	case path == "mkt history":
		w.Product = string(football.MarketEngine)
	}
	fixtures := newestFixtures(env, w)
	if strings.HasPrefix(word, "fx_") {
		for _, c := range fixtures {
			list = append(list, cobra.CompletionWithDesc(c.id, c.named()))
		}
		return list
	}
	described := map[string]string{}
	for _, c := range fixtures {
		for _, name := range strings.Fields(c.home + " " + c.away) {
			folded, typed := names.Fold(name), names.Fold(word)
			if !isPlainWord(name) || !strings.HasPrefix(folded, typed) {
				continue
			}
			if !strings.HasPrefix(name, word) {
				name = word + folded[len(typed):] // as it was typed
			}
			if had, ok := described[name]; ok && had != c.named() {
				described[name] = "several"
			} else {
				described[name] = c.named()
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		list = append(list, cobra.CompletionWithDesc(name, described[name]))
	}
	return list
}

// isPlainWord reports whether a word has three letters or more and no character with a meaning for
// a shell.
func isPlainWord(word string) bool {
	return len(word) >= 3 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
}

// newestFixtures returns the fixtures of the newest snapshots of the selected datasets.
func newestFixtures(env *Env, w dataset.Filter) (list []candidate) {
	seen := map[string]bool{}
	add := func(id string, home, away *string) {
		if !seen[id] {
			seen[id] = true
			list = append(list, candidate{id, teamName(home), teamName(away)})
		}
	}
	datasets, _ := dataset.List(env.Data, w)
	for _, d := range datasets {
		root, err := d.Open()
		if err != nil {
			continue
		}
		if c, found, err := snapshot.Head(root); err == nil && found {
			if d.Product == football.LiveIntelligence {
				for r, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
					if err != nil {
						break
					}
					add(r.FixtureID, r.Home, r.Away)
				}
			} else {
				for r, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
					if err != nil {
						break
					}
					add(r.FixtureID, r.Home, r.Away)
				}
			}
		}
		root.Close()
	}
	return list
}

func teamName(name *string) string {
	if name == nil {
		return "?"
	}
	return *name
}
