package serving

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
	"mkt/serve"
)

type realtimeFlags struct {
	serve.Realtime
	compression *bool // nil is the default
}

// flags adds the settings, with their defaults, to those of mkt serve.
func (f *realtimeFlags) flags(g *Group, flags *pflag.FlagSet) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.DurationVar(&f.Tick, "realtime-tick", 2*time.Second, "push publications at most this often; one after a longer pause is pushed at once")
	own.DurationVar(&f.PingInterval, "realtime-ping-interval", 10*time.Second, "send each socket a heartbeat this often")
	own.DurationVar(&f.PingTimeout, "realtime-ping-timeout", 10*time.Second, "wait this long for the answer to a heartbeat")
	own.DurationVar(&f.ConnectTimeout, "realtime-connect-timeout", 5*time.Second, "wait this long for a socket to send its token")
	own.DurationVar(&f.UpgradeTimeout, "realtime-upgrade-timeout", 10*time.Second, "wait this long for the change from polling to websocket")
	own.DurationVar(&f.WriteTimeout, "realtime-write-timeout", 10*time.Second, "close a socket that has read nothing of what it was sent for this long")
	own.IntVar(&f.Connections, "realtime-connections", 8, "accept this many sockets of one account at once")
	own.IntVar(&f.Sessions, "realtime-sessions", 20_000, "accept this many sockets of all accounts at once")
	own.IntVar(&f.Pending, "realtime-pending", 0, "accept this many sockets at once that have not sent their token (default: 2000, fewer where --connections are few)")
	own.IntVar(&f.PendingOfPeer, "realtime-pending-per-address", 0, "accept this many sockets of one address at once that have not sent their token (default: half of --realtime-pending)")
	own.IntVar(&f.QueueBytes, "realtime-queue-bytes", 1<<20, "close a socket when more than this many bytes wait for it")
	own.BoolVar(&f.WebsocketOnly, "realtime-websocket-only", false, "refuse long polling, for replicas without sticky sessions")
	f.compression = own.Bool("realtime-compression", true, "compress the messages of websockets whose clients offer it")
	own.StringSliceVar(&f.Channels, "realtime-channels", []string{"changes", "live"}, "offer these channels")
	for name, value := range map[string]*time.Duration{"tick": &f.Tick, "ping-interval": &f.PingInterval, "ping-timeout": &f.PingTimeout,
		"connect-timeout": &f.ConnectTimeout, "upgrade-timeout": &f.UpgradeTimeout, "write-timeout": &f.WriteTimeout} {
		cli.Bound(own, "realtime-"+name, "a duration from 100ms to 2m, such as 10s", cli.Between(value, 100*time.Millisecond, 2*time.Minute))
	}
	cli.Bound(own, "realtime-connections", "a whole number from 1 to 1000", cli.Between(&f.Connections, 1, 1000))
	cli.Bound(own, "realtime-sessions", "a whole number from 1 to 1000000", cli.Between(&f.Sessions, 1, 1_000_000))
	cli.Bound(own, "realtime-pending", "a whole number from 0 to 1000000", cli.Between(&f.Pending, 0, 1_000_000))
	cli.Bound(own, "realtime-pending-per-address", "a whole number from 0 to 1000000", cli.Between(&f.PendingOfPeer, 0, 1_000_000))
	cli.Bound(own, "realtime-queue-bytes", "a whole number from 65536 to 67108864", cli.Between(&f.QueueBytes, 64<<10, 64<<20))
	flags.AddFlagSet(own)
	own.VisitAll(func(flag *pflag.Flag) { // realtime-ping-timeout is serve.realtime.ping_timeout
		g.Settings.Bind(flags, flag.Name, "serve."+strings.ReplaceAll(strings.Replace(flag.Name, "-", ".", 1), "-", "_"))
	})
}

func (f *realtimeFlags) options() serve.Realtime {
	o := f.Realtime
	o.Uncompressed = f.compression != nil && !*f.compression
	return o
}

func (f *realtimeFlags) check() error {
	if f.Channels != nil && len(f.Channels) == 0 {
		return terminal.Usagef("--realtime-channels: want changes, live or both")
	}
	for _, c := range f.Channels {
		if err := terminal.CheckWord("--realtime-channels", c, "changes", "live"); err != nil {
			return err
		}
	}
	return nil
}
