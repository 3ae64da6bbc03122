package simulation

import (
	"context"
	"fmt"
	"time"
)

// command is something that a person, or fate, does at a time.
type command struct {
	name string
	do   func(c *commands, id string)
}

// Commands of every world, of one machine, and of a cluster.
var (
	commonCommands = []command{
		{"provider fails", (*commands).providerFails}, {"credential rotated", (*commands).rotate}, {"disk full", (*commands).fill}, {"power off", (*commands).powerOff},
		{"clock leaps", (*commands).leap}, {"gc", (*commands).gc}, {"verify", (*commands).verify}, {"replay", (*commands).replay},
		{"account added", (*commands).add}, {"provider disabled", (*commands).disable},
		{"receipt altered", (*commands).alter}, {"log forked", (*commands).fork},
	}
	machineCommands = append([]command{{"bit rots", (*commands).rot}, {"backup restored", (*commands).restore}, {"cycle published again", (*commands).again}, {"account deleted", (*commands).remove},
		{"history rewritten", (*commands).rewrite}}, commonCommands...)
	clusterCommands = append([]command{
		{"store away", (*commands).storeAway}, {"network away", (*commands).networkAway},
		{"Redis away", (*commands).redisAway}, {"Redis slow", (*commands).redisSlow}, {"Redis refuses", (*commands).redisRefuses}, {"Redis forgets", (*commands).redisForgets}, {"news away", (*commands).newsAway}, {"Redis out of reach", (*commands).redisApart},
		{"push", (*commands).push}, {"pull", (*commands).pull}, {"replica rots", (*commands).rotReplica}, {"bit rots", (*commands).rotWorker}, {"replica off", (*commands).replicaOff},
		{"account deleted", (*commands).remove},
	}, commonCommands...)
)

// command gives the commands of a world, some an hour, until ctx ends.
func (s *system) command(ctx context.Context, length time.Duration) *commands {
	c := &commands{system: s, ctx: ctx}
	list, hourly := machineCommands, 2.5
	if s.depot != nil {
		list, hourly = clusterCommands, 14.0
	}
	for n := range int(length.Hours() / float64(s.slowness) * hourly) {
		id := fmt.Sprint("command ", n)
		one := list[s.pick("command", id, len(list))]
		s.later(s.span("when", id, 0, length), func() {
			if s.allow(id + ": " + one.name) {
				one.do(c, id)
			}
		})
	}
	return c
}

// calm ends what lasts.
func (c *commands) calm() {
	c.calmDown()
	for _, undo := range c.undo {
		undo()
	}
	c.note("the faults end")
}
