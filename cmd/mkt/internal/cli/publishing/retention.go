package publishing

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// RetentionFlags adds the flags of the retention policy. Ages count back from the publication.
func RetentionFlags(set *cli.Settings, cmd *cobra.Command, keep *retention.Policy) {
	flags, d := cmd.Flags(), retention.Default()
	flags.IntVar(&keep.Snapshots, "keep-snapshots", d.Snapshots, "number of newest snapshots that are kept at any age; 0 keeps all")
	flags.DurationVar(&keep.SnapshotAge, "keep-snapshot-age", d.SnapshotAge, "snapshots younger than this are kept as well; 0 keeps all")
	flags.IntVar(&keep.Cycles, "keep-cycles", d.Cycles, "number of newest publications whose archived answers and canonical rows are kept at any age; 0 keeps all")
	flags.DurationVar(&keep.CycleAge, "keep-cycle-age", d.CycleAge, "the same is kept of publications younger than this; 0 keeps all")
	flags.Uint64Var(&keep.ChangeEvents, "keep-change-events", 1000, "number of newest change events that are kept at any age")
	flags.DurationVar(&keep.ChangeAge, "keep-change-age", leastChangeAge, "change events younger than this are kept as well; at least seven days")
	flags.DurationVar(&keep.StepsAge, "keep-steps", retention.DefaultSteps, "steps of prices younger than this are kept, also when their snapshots are not; at least seven days")
	bounds(flags, keep)
	for _, name := range []string{"snapshots", "snapshot-age", "cycles", "cycle-age", "change-events", "change-age", "steps"} {
		set.Bind(flags, "keep-"+name, "retention."+strings.ReplaceAll(name, "-", "_"))
	}
}

// leastChangeAge is the shortest permitted age of the change log.
const leastChangeAge = 7 * 24 * time.Hour

func bounds(flags *pflag.FlagSet, k *retention.Policy) {
	cli.Bound(flags, "keep-snapshots", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Snapshots == 0 || k.Snapshots >= 3 })
	cli.Bound(flags, "keep-cycles", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Cycles == 0 || k.Cycles >= 3 })
	cli.Bound(flags, "keep-change-events", "a whole number, 1 or more", cli.Between(&k.ChangeEvents, 1, 1<<62))
	cli.Bound(flags, "keep-change-age", "a duration of 168h (seven days) or more", func() bool { return k.ChangeAge >= leastChangeAge })
	cli.Bound(flags, "keep-steps", "a duration of 168h (seven days) or more", func() bool { return k.StepsAge >= leastChangeAge })
	for name, age := range map[string]*time.Duration{"keep-snapshot-age": &k.SnapshotAge, "keep-cycle-age": &k.CycleAge} {
		cli.Bound(flags, name, "a duration of 1h or more, such as 168h, or 0 to keep all", func() bool { return *age == 0 || *age >= time.Hour })
	}
}

// Retained returns the retention policy that these flags describe. A setting of 0 keeps all snapshots, or all cycles,
// whatever the other setting of the two is.
func Retained(keep retention.Policy) retention.Policy {
	if keep.Snapshots == 0 || keep.SnapshotAge == 0 {
		keep.Snapshots, keep.SnapshotAge = 0, 0
	}
	if keep.Cycles == 0 || keep.CycleAge == 0 {
		keep.Cycles, keep.CycleAge = 0, 0
	}
	return keep
}

// CollectFailed deletes unpublished cycles, except for the newest raw cycle with answers:
// the next transform begins from it.
func CollectFailed(o retention.Options, head snapshot.Commit) (retention.Collected, error) {
	var spare []layout.CycleID
	newest, found, err := raw.Newest(o.Root)
	if err != nil {
		return retention.Collected{}, err
	}
	if found {
		spare = append(spare, newest.CycleID)
	}
	return retention.CollectUnpublished(o, head, spare...)
}
