package coordination

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// announcement is the message of a publication.
type announcement struct {
	Version uint64 `json:"version"`
}

// Announce announces a version of a product of an account. It is a hint: perhaps nobody hears it,
// and every listener looks at the commit itself.
func (c *Conn) Announce(client, product string, version uint64) {
	text, err := json.Marshal(announcement{version})
	if err != nil || c.nc.Publish(c.o.Address.subject("news", client, product), text) != nil {
		return
	}
	c.count(func(s *Stats) { s.Announced++ })
}

// Listen calls heard for each announced publication, one at a time, until ctx ends. After an
// interruption of the connection, it calls heard with an empty client: news may have been missed,
// and the listener must look at everything. heard must return quickly.
func (c *Conn) Listen(ctx context.Context, heard func(client, product string, version uint64)) error {
	return c.listen(ctx, c.o.Address.subject("news", "*", "*"), func(m *nats.Msg) {
		var a announcement
		words := strings.Split(m.Subject, ".")
		if len(words) == 4 && len(m.Data) <= 4096 && json.Unmarshal(m.Data, &a) == nil {
			heard(words[2], words[3], a.Version)
		}
	}, func() { heard("", "", 0) })
}

func (c *Conn) listen(ctx context.Context, subject string, heard nats.MsgHandler, missed func()) error {
	sub, err := c.nc.Subscribe(subject, heard)
	if err != nil {
		return fmt.Errorf("work %s: %w", c.o.Address, err)
	}
	c.mu.Lock()
	id := c.watcherID
	c.watcherID++
	c.news[id] = missed
	c.mu.Unlock()
	context.AfterFunc(ctx, func() {
		_ = sub.Unsubscribe()
		c.mu.Lock()
		delete(c.news, id)
		c.mu.Unlock()
	})
	return nil
}
