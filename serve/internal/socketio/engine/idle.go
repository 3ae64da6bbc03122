package engine

import (
	"os"
	"sync"
	"syscall"
)

// idlers returns the poller of idle websockets. It has one goroutine for those of all
// servers, because a goroutine for each would use more memory than the rest of its session.
// It is nil if the operating system refuses it.
func idlers() *poller {
	shared.start.Do(func() { shared.poller = newPoller() })
	return shared.poller
}

var shared struct {
	start  sync.Once
	poller *poller
}

// poller waits until parked wires are readable. The runtime itself watches its epoll
// instance, so no thread waits in a system call.
type poller struct {
	fd   int
	wait syscall.RawConn // of fd

	mu     sync.Mutex
	parked []*wire // by file descriptor
}

func newPoller() *poller {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if err := syscall.SetNonblock(fd, true); err != nil { // otherwise the runtime would not watch it
		syscall.Close(fd)
		return nil
	}
	wait, err := os.NewFile(uintptr(fd), "epoll").SyscallConn() // which keeps the file open
	if err != nil {
		panic(err) // only a nil file has none
	}
	p := &poller{fd: fd, wait: wait}
	go p.run()
	return p
}

// park starts the goroutine for reading a wire as soon as there is something to read,
// unless unpark is called before. It returns false if the connection is closed or has no
// file descriptor of its own.
func (p *poller) park(c *wire) (ok bool) {
	owner, isPlain := c.conn.(syscall.Conn)
	if p == nil || !isPlain {
		return false
	}
	raw, err := owner.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) { // meanwhile no other connection can have the same descriptor
		ok = p.watch(c, int(fd))
	})
	return ok && err == nil
}

func (p *poller) watch(c *wire, fd int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if more := fd + 1 - len(p.parked); more > 0 {
		p.parked = append(p.parked, make([]*wire, more)...)
	}
	op := syscall.EPOLL_CTL_MOD
	if !c.watched {
		op = syscall.EPOLL_CTL_ADD
	}
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLONESHOT, Fd: int32(fd)}
	if syscall.EpollCtl(p.fd, op, fd, &event) != nil {
		return false
	}
	c.fd, c.watched = int32(fd), true
	p.parked[fd] = c
	return true
}

// unpark reports whether a wire was parked, and no longer is.
func (p *poller) unpark(c *wire) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.watched || p.parked[c.fd] != c {
		return false
	}
	p.parked[c.fd] = nil
	return true
}

// run starts the reading goroutines. One may be started without data, for an event of an
// earlier connection with the same descriptor, and then waits in its read.
func (p *poller) run() {
	events := make([]syscall.EpollEvent, 128)
	for {
		var n int
		p.wait.Read(func(fd uintptr) bool {
			n = readable(int(fd), events)
			return n > 0
		})
		p.mu.Lock()
		for _, e := range events[:n] {
			if c := p.parked[e.Fd]; c != nil {
				p.parked[e.Fd] = nil
				go c.session.read(c)
			}
		}
		p.mu.Unlock()
	}
}

// readable returns the number of events, without waiting for any.
func readable(fd int, events []syscall.EpollEvent) int {
	for {
		n, err := syscall.EpollWait(fd, events, 0)
		if err != syscall.EINTR {
			return max(n, 0)
		}
	}
}
