package servers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/gomodule/redigo/redis"
)

// A Redis is a Redis server without a disk: Debian's redis-server where it is installed, otherwise
// miniredis in this process. Its methods must not be called at the same time.
type Redis struct {
	Address string // host and port, the same after every Start
	// Both are nil while it is stopped.
	program *exec.Cmd
	inside  *miniredis.Miniredis
}

// StartRedis starts an empty server.
func StartRedis() (*Redis, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	r := &Redis{Address: address}
	return r, r.Start()
}

// Start starts the server after Stop, at its address. It is empty.
func (r *Redis) Start() error {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		r.inside = miniredis.NewMiniRedis()
		r.inside.ClockTTL(true)
		return r.inside.StartAddr(r.Address)
	}
	host, port, err := net.SplitHostPort(r.Address)
	if err != nil {
		return err
	}
	output := new(tail)
	r.program = exec.Command(program, "--bind", host, "--port", port, "--save", "", "--dir", os.TempDir(), "--dbfilename", "mkt-none.rdb")
	r.program.Stdout = output
	// An interrupt of the terminal is for this program, whose other processes still need the server.
	r.program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.program.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		if _, err = r.Do("PING"); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			r.Stop()
			return fmt.Errorf("redis-server at %s does not answer: %w: %s", r.Address, err, output)
		}
	}
}

// Stop stops the server, which forgets everything.
func (r *Redis) Stop() {
	if r.inside != nil {
		r.inside.Close()
	}
	if r.program != nil {
		_ = r.program.Process.Kill()
		_ = r.program.Wait()
	}
	r.program, r.inside = nil, nil
}

// Do sends a command over a connection of its own.
func (r *Redis) Do(command string, args ...any) (any, error) {
	conn, err := redis.Dial("tcp", r.Address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Do(command, args...)
}

// PID returns the id of the process in which the server runs. It must not be stopped.
func (r *Redis) PID() int {
	if r.program == nil {
		return os.Getpid()
	}
	return r.program.Process.Pid
}

// URL returns the value of the setting redis.
func (r *Redis) URL() string { return "redis://" + r.Address }
