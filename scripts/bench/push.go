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
}

func (p *pushServer) pushed() (r pushed, err error) {
	if _, err := io.WriteString(p.clients.in, "\n"); err != nil {
		return r, err
	}
	line, err := p.clients.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	r.Cost = cost.Of(p.process.Process.Pid)
	return r, err
}

func (o pushOptions) measurePush(ctx context.Context, s *pushSystem) error {
	if err := wait(ctx, o.warm); err != nil {
		return err
	}
	fmt.Printf("%d accounts, %d sockets each and server, load %s; %d rounds of %v, an hour at this rate\n\n", o.accounts, o.each, cost.Load(), o.rounds, o.measured)
	fmt.Println("| round | server | pushes | a push | on the wire | in an hour | processor in an hour | memory |\n|---|---|---|---|---|---|---|---|")
	for round := range o.rounds {
		before := make([]pushed, len(s.servers))
		for i, p := range s.servers {
			var err error
			if before[i], err = p.pushed(); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := wait(ctx, o.measured); err != nil {
			return err
		}
		hours := time.Since(began).Hours()
		for i, p := range s.servers {
			now, err := p.pushed()
			if err != nil {
				return err
			}
			n, was := now.Pushes-before[i].Pushes, before[i]
			fmt.Printf("| %d | %s | %.0f | %.0f B | %.0f B | %.2f GB | %.1f s | %d MiB |\n", round+1, p.name, n, (now.Text-was.Text)/n, (now.Bytes-was.Bytes)/n,
				(now.Bytes-was.Bytes)/hours/1e9, (now.Seconds-was.Seconds)/hours, now.Megabytes)
		}
	}
	skipped, failed, err := s.problems()
	fmt.Printf("\n%d ticks skipped, %d runs failed, load %s\n", skipped, failed, cost.Load())
	return err
}
