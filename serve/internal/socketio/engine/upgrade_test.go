package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio/engine"
)

func (p polling) probe() socket {
	p.t.Helper()
	return p.dial("EIO=4&transport=websocket&sid=" + p.sid)
}

func (p polling) probed() socket {
	p.t.Helper()
	s := p.probe()
	s.send("2probe")
	s.want("3probe")
	return s
}

func (p polling) upgraded() socket {
	p.t.Helper()
	s := p.probed()
	s.send("5")
	s.send("4changed")
	s.want("4changed")
	return s
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	p := h.poll()
	s := p.probe()
	waiting := p.later()
	s.send("2probe")
	s.want("3probe")
	p.expect(<-waiting, 200, "6")
	s.send("5")
	s.send("4hello")
	s.want("4hello")
	for _, method := range []string{"GET", "POST"} {
		p.expect(p.do(method, p.query(), "4x"), 400, `{"code":3,"message":"Bad request"}`)
	}
	second := p.probe()
	second.want("close 1008 upgrade refused")
	second.wantEnd()
	s.send("4still here")
	s.want("4still here")
	if n := h.server.Stats().Websockets; n != 1 {
		t.Errorf("%d websockets", n)
	}
}

// The noop may overtake the 3probe: the client then polls again, and must not wait for long.
func TestNoopIsRepeated(t *testing.T) {
	t.Parallel()
	p := start(t, engine.Options{}).poll()
	s := p.probed()
	for range 3 {
		p.expect(p.get(), 200, "6")
	}
	s.send("2probe")
	s.want("3probe")
	s.send("5")
	s.send("4a")
	s.want("4a")
}

// Until the 5 arrives, polling works normally, and the websocket is silent.
func TestPollingWhileProbed(t *testing.T) {
	t.Parallel()
	p := start(t, engine.Options{}).poll()
	s := p.probed()
	p.expect(p.post("4one"), 200, "ok")
	p.expect(p.get(), 200, "4one")
	p.expect(p.post("4two\x1e4three"), 200, "ok")
	s.frame(ws.NewPingFrame([]byte("x")))
	s.want("pong x")
	s.send("5")
	s.send("4four")
	s.want("4two", "4three", "4four")
}

// A GET that still waits when the 5 arrives is answered, and so is a later one.
func TestUpgradeOverWaitingPoll(t *testing.T) {
	p := start(t, engine.Options{}).poll()
	s := p.probed()
	waiting := p.later()
	s.send("5")
	if a := <-waiting; a.body != "6" { // on a busy machine its time may have ended before
		p.expect(a, 400, `{"code":3,"message":"Bad request"}`)
	}
	s.send("4a")
	s.want("4a")
}

// A packet that does not belong to an upgrade ends the websocket but not the session, so that
// the client may try again.
func TestBadUpgrades(t *testing.T) {
	t.Parallel()
	text := func(s string) ws.Frame { return ws.NewTextFrame([]byte(s)) }
	for name, c := range map[string]struct {
		frames  []ws.Frame
		cut     bool
		timeout time.Duration
	}{
		"no probe":           {frames: []ws.Frame{text("5")}},
		"a message first":    {frames: []ws.Frame{text("4a")}},
		"a message after it": {frames: []ws.Frame{text("2probe"), text("4a")}},
		"another probe":      {frames: []ws.Frame{text("2probed")}},
		"binary":             {frames: []ws.Frame{ws.NewBinaryFrame([]byte("2probe"))}},
		"invalid text":       {frames: []ws.Frame{text("2probe"), text("\xff")}},
		"close frame":        {frames: []ws.Frame{text("2probe"), ws.NewCloseFrame(nil)}},
		"cut":                {frames: []ws.Frame{text("2probe")}, cut: true},
		"too late":           {frames: []ws.Frame{text("2probe")}, timeout: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{UpgradeTimeout: c.timeout})
			p := h.poll()
			s := p.probe()
			for _, f := range c.frames {
				s.frame(f)
			}
			if c.cut {
				s.conn.Close()
			}
			s.wantEnd()
			p.expect(p.post("4a"), 200, "ok")
			p.expect(p.get(), 200, "4a")
			if c.timeout > 0 {
				return
			}
			check.Eventually(t, "a second upgrade", func() bool { // once the server has noticed
				again := p.probe()
				again.send("2probe")
				return again.next() == "3probe"
			})
		})
	}
}

func TestSecondProbe(t *testing.T) {
	p := start(t, engine.Options{}).poll()
	first := p.probe()
	first.send("2probe")
	first.want("3probe")
	second := p.probe()
	second.want("close 1008 upgrade refused")
	first.send("5")
	first.send("4a")
	first.want("4a")
}

func TestEndWhileProbed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*host, polling){
		"by the client": func(_ *host, p polling) { p.post("1") },
		"by violation":  func(_ *host, p polling) { p.post("x") },
		"by the server": func(h *host, _ polling) { (<-h.opened).Close("dropped") },
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{})
			p := h.poll()
			s := p.probed()
			end(h, p)
			s.wantEnd()
			h.reason()
		})
	}
}

// Messages keep their order in both directions during an upgrade, whenever it happens.
func TestOrderAcrossUpgrade(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	for round := range 20 {
		p := h.poll()
		server := <-h.opened
		const n = 200
		go func() {
			for i := range n {
				server.Send(engine.NewMessage(fmt.Append(nil, i)))
				if i%10 == round%10 {
					time.Sleep(time.Millisecond)
				}
			}
		}()
		var got []string
		polled := make(chan struct{})
		stop := make(chan struct{})
		go func() {
			defer close(polled)
			for {
				for _, text := range strings.Split(p.get().body, "\x1e") {
					if text != "6" {
						got = append(got, text)
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		s := p.probed()
		close(stop)
		<-polled
		s.send("5")
		for len(got) < n {
			got = append(got, s.next())
		}
		for i, text := range got {
			if text != fmt.Sprint("4", i) {
				t.Fatalf("round %d: place %d holds %q", round, i, text)
			}
		}
	}
}
