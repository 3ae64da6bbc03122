package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
)

type pushOptions struct {
	liveOptions
	each   int // sockets of each account
	rounds int
}

// pushFlags returns the measurement of the bytes and the processor time of pushes, compressed and
// not: four servers push the publications of the same matches at the same time, two of mkt and two
// of the official Socket.IO server, each to sockets of its own.
func pushFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	o := pushOptions{liveOptions: liveOptions{mkt: mkt}}
	flags.IntVar(&o.accounts, "accounts", 20, "accounts")
	flags.IntVar(&o.inPlay, "in-play", 328, "approximate number of matches in play per account")
	flags.IntVar(&o.each, "sockets", 8, "sockets per account and server")
	flags.DurationVar(&o.measured, "for", time.Minute, "how long a round takes")
	flags.DurationVar(&o.warm, "warm", 40*time.Second, "how long to run before the first round")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds")
	return func(ctx context.Context) error {
		if b := new(bench); !b.hasModules(ctx, "testdata/node/node_modules") {
			return errors.New(b.skipped[0])
		}
		s, err := o.startPush(ctx)
		if err == nil {
			err = errors.Join(o.measurePush(ctx, s), s.Close())
		}
		return err
	}
}

// pushSystem is an installation with four servers and their clients.
type pushSystem struct {
	*liveSystem
	dir     string // of the bodies and tokens for the official server
	servers []*pushServer
}

type pushServer struct {
	name    string
	process *exec.Cmd
	clients *nodeProgram
}

// nodeProgram is a program of testdata/node, which ends with its input.
type nodeProgram struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startProgram(file string, env ...string) (p *nodeProgram, first string, err error) {
	p = &nodeProgram{Cmd: exec.Command("node", file)}
	p.Dir, p.Stderr, p.Env = "testdata/node", os.Stderr, append(append(os.Environ(), "NODE_ENV=production"), env...)
	if p.in, err = p.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		return nil, "", err
	}
	if first, err = p.out.ReadString('\n'); err != nil {
		p.close()
		return nil, "", fmt.Errorf("%s ended before it was ready", file)
	}
	return p, strings.TrimSpace(first), nil
}

func (p *nodeProgram) close() {
	p.in.Close()
	_ = p.Wait() // a script does not measure how a process ends
}

func (o pushOptions) startPush(ctx context.Context) (_ *pushSystem, err error) {
	live, err := o.start(ctx)
	if err != nil {
		return nil, err
	}
	s := &pushSystem{liveSystem: live}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "mkt-push-"); err != nil {
		return nil, err
	}
	tokens := map[string]string{}
	for i, token := range live.tokens {
		tokens[fmt.Sprintf("account-%02d", i)] = token
	}
	text, err := json.Marshal(tokens)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.tokensFile(), text, 0o600); err != nil {
		return nil, err
	}
	plain, err := live.Listen("serve", "--realtime-compression=false", "--replica", "plain", "--log-format", "json", "--log-level", "info")
	if err != nil {
		return nil, err
	}
	if err := o.addServer(s, "serve, off", plain.Cmd, plain.BaseURL, "FOLDER="+s.dir); err != nil {
		return nil, err
	}
	if err := o.addServer(s, "serve, on", live.serve.Cmd, live.serve.BaseURL); err != nil {
		return nil, err
	}
	for _, setting := range []string{"off", "on"} {
		p, url, err := startProgram("fanout.mjs", "FOLDER="+s.dir, "TOKENS="+s.tokensFile(), "DEFLATE="+setting)
		if err != nil {
			return nil, err
		}
		if err := o.addServer(s, "official server, "+setting, p.Cmd, url); err != nil {
			p.close()
			return nil, err
		}
	}
	return s, nil
}

func (s *pushSystem) tokensFile() string { return filepath.Join(s.dir, "tokens") }

// addServer connects the clients of a server. They always offer compression.
func (o pushOptions) addServer(s *pushSystem, name string, process *exec.Cmd, url string, env ...string) error {
	clients, _, err := startProgram("followers.mjs", append(env, "URL="+url, "TOKENS="+s.tokensFile(), "EACH="+strconv.Itoa(o.each), "DEFLATE=on")...)
	if err == nil {
		s.servers = append(s.servers, &pushServer{name, process, clients})
	}
	return err
}

func (s *pushSystem) Close() error {
	for _, p := range s.servers {
		p.clients.close()
		if strings.HasPrefix(p.name, "official") {
			_ = p.process.Process.Kill()
			_ = p.process.Wait()
		}
	}
	return errors.Join(s.liveSystem.Close(), os.RemoveAll(s.dir))
}

// pushed is what a server has done so far.
type pushed struct {
	Bytes  float64 // on the wire
	Pushes float64
	Text   float64 // bytes of the pushes without compression
	cost.Cost
	at time.Time
}

func (p *pushServer) pushed() (r pushed, err error) {
	r, err = p.clients.pushed()
	r.Cost, r.at = cost.Of(p.process.Process.Pid), time.Now()
	return r, err
}

// pushed returns what the sockets of followers.mjs have got so far.
func (p *nodeProgram) pushed() (r pushed, err error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return r, err
	}
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	return r, err
}

// measurePush prints the medians of the rounds as a table for docs/benchmarks.md.
func (o pushOptions) measurePush(ctx context.Context, s *pushSystem) error {
	if err := wait(ctx, o.warm); err != nil {
		return err
	}
	load := cost.Load()
	type medians struct{ pushes, text, bytes, gigabytes, seconds, megabytes figures }
	all := make([]medians, len(s.servers))
	before := make([]pushed, len(s.servers))
	for round := range o.rounds + 1 {
		if round > 0 {
			if err := wait(ctx, o.measured); err != nil {
				return err
			}
		}
		for i, p := range s.servers {
			now, err := p.pushed()
			if err != nil {
				return err
			}
			if was := before[i]; round > 0 {
				n, hours := now.Pushes-was.Pushes, now.at.Sub(was.at).Hours()
				all[i].pushes, all[i].text, all[i].bytes = append(all[i].pushes, n), append(all[i].text, (now.Text-was.Text)/n), append(all[i].bytes, (now.Bytes-was.Bytes)/n)
				all[i].gigabytes, all[i].seconds = append(all[i].gigabytes, (now.Bytes-was.Bytes)/hours/1e9), append(all[i].seconds, (now.Seconds-was.Seconds)/hours)
				all[i].megabytes = append(all[i].megabytes, float64(now.Megabytes))
			}
			before[i] = now
		}
	}
	skipped, failed, err := s.problems()
	fmt.Printf("%d accounts, %d sockets each and server; medians of %d rounds of %v; an hour at their rate; load %s before and %s after; %d ticks skipped, %d runs failed\n\n",
		o.accounts, o.each, o.rounds, o.measured, load, cost.Load(), skipped, failed)
	fmt.Println("| server, compression | pushes | bytes of one | on the wire | an hour: bytes | processor time | memory |\n|---|---|---|---|---|---|---|")
	for i, p := range s.servers {
		m := all[i]
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f GB | %.0f s (%.0f to %.0f) | %.0f MiB |\n", p.name, m.pushes.median(), m.text.median(), m.bytes.median(), m.gigabytes.median(),
			m.seconds.median(), slices.Min(m.seconds), slices.Max(m.seconds), m.megabytes.median())
	}
	return err
}
