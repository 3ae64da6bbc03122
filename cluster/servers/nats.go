package servers

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A NATS is a cluster of NATS servers with JetStream, in this process. Its methods must not
// be called at the same time.
type NATS struct {
	nodes []*node
}

type node struct {
	options server.Options
	server  *server.Server // nil while the node is stopped
	door    *door          // through which the other nodes connect to this one
	alone   bool           // cut off from the others
}

// StartNATS starts n nodes with their streams below a folder, and returns when a leader is
// elected. With one node there is no cluster.
func StartNATS(n int, dir string) (*NATS, error) {
	c := new(NATS)
	var routes []*url.URL
	for i := range n {
		client, err := freeAddress()
		if err != nil {
			return nil, err
		}
		o := server.Options{
			ServerName: fmt.Sprintf("nats-%d", i), JetStream: true, StoreDir: filepath.Join(dir, fmt.Sprintf("nats-%d", i)),
			NoLog: true, NoSigs: true,
		}
		if o.Host, o.Port, err = split(client); err != nil {
			return nil, err
		}
		if n > 1 {
			route, err := freeAddress()
			if err != nil {
				return nil, err
			}
			o.Cluster.Name, o.Cluster.PoolSize = "mkt", -1
			if o.Cluster.Host, o.Cluster.Port, err = split(route); err != nil {
				return nil, err
			}
			door, err := openDoor(route)
			if err != nil {
				c.Close()
				return nil, err
			}
			o.Cluster.Advertise = door.address()
			routes = append(routes, &url.URL{Scheme: "nats", Host: door.address()})
			c.nodes = append(c.nodes, &node{options: o, door: door})
			continue
		}
		c.nodes = append(c.nodes, &node{options: o})
	}
	for i, node := range c.nodes {
		if n > 1 {
			node.options.Routes = slices.Delete(slices.Clone(routes), i, i+1) // all but its own
		}
		if err := c.Start(i); err != nil {
			c.Close()
			return nil, err
		}
	}
	if err := c.Await(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

// Start starts a stopped node, at its address and with its earlier streams.
func (c *NATS) Start(i int) error {
	n := c.nodes[i]
	if n.server != nil {
		return nil
	}
	options := n.options // the server writes into its options
	s, err := server.NewServer(&options)
	if err != nil {
		return err
	}
	n.server = s
	c.shutDoors()
	s.Start()
	if !s.ReadyForConnections(startLimit) {
		c.Stop(i)
		return fmt.Errorf("NATS node %d does not accept connections at %s:%d", i, options.Host, options.Port)
	}
	return nil
}

// Stop stops a node; its streams stay on its disk.
func (c *NATS) Stop(i int) {
	if s := c.nodes[i].server; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		c.nodes[i].server = nil
	}
}

// Wipe stops a node and removes its data from its disk.
func (c *NATS) Wipe(i int) error {
	c.Stop(i)
	return os.RemoveAll(c.nodes[i].options.StoreDir)
}

// Split cuts a node off from the others: both sides run and take clients, and neither hears the
// other. It lasts until Join, even if the node restarts.
func (c *NATS) Split(i int) {
	c.nodes[i].alone = true
	c.shutDoors()
}

// shutDoors refuses the connections between a cut off node and the others. A node is known by its
// id, which changes with every start.
func (c *NATS) shutDoors() {
	for i, to := range c.nodes {
		for j, from := range c.nodes {
			if i != j && (to.alone || from.alone) && from.server != nil {
				to.door.shut(from.server.ID())
			}
		}
	}
}

// Join ends all splits.
func (c *NATS) Join() {
	for _, n := range c.nodes {
		n.alone = false
		if n.door != nil {
			n.door.reopen()
		}
	}
}

// Close stops all nodes.
func (c *NATS) Close() {
	for i := range c.nodes {
		c.Stop(i)
	}
	for _, n := range c.nodes {
		if n.door != nil {
			n.door.close()
		}
	}
}

// Nodes returns the number of nodes, including the stopped ones.
func (c *NATS) Nodes() int { return len(c.nodes) }

// Leader returns the leading node of JetStream, or -1.
func (c *NATS) Leader() int {
	for i, n := range c.nodes {
		if n.server != nil && (len(c.nodes) == 1 || n.server.JetStreamIsLeader()) {
			return i
		}
	}
	return -1
}

// Await waits until JetStream works: one node leads, and all running nodes follow it.
func (c *NATS) Await() error {
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		ready := c.Leader() >= 0
		for _, n := range c.nodes {
			if len(c.nodes) > 1 && n.server != nil && !n.server.JetStreamIsCurrent() {
				ready = false
			}
		}
		if ready {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New("the NATS nodes have not elected a leader")
		}
	}
}

// URL returns the value of the setting work: the addresses of all nodes.
func (c *NATS) URL() string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, net.JoinHostPort(n.options.Host, strconv.Itoa(n.options.Port)))
	}
	return "nats://" + strings.Join(all, ",")
}

// NodeURL returns the address of one node.
func (c *NATS) NodeURL(i int) string {
	o := c.nodes[i].options
	return "nats://" + net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
}
