package coordination

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Code is the kind of a Trouble.
type Code string

// The kinds of trouble, as mkt doctor names them after WORK_.
const (
	Unreachable Code = "UNREACHABLE"  // no server answers
	Refused     Code = "REFUSED"      // the servers refuse the user, the password or a certificate
	NoJetStream Code = "NO_JETSTREAM" // the servers run without JetStream
	NoQuorum    Code = "NO_QUORUM"    // JetStream does not answer: too few servers see each other
	Starting    Code = "STARTING"     // the leases are new: lost ones may still be in force
	Newer       Code = "NEWER"        // a worker of a newer version is there
	Foreign     Code = "FOREIGN"      // another installation uses the same name
	Clock       Code = "CLOCK"        // this clock differs from the servers'
)

// Trouble is the reason why no lease can be taken. Its text names the event, the servers and the
// remedy.
type Trouble struct {
	Code  Code
	What  string    // the event
	Next  string    // the remedy
	Until time.Time // of Starting: its end
}

func (t *Trouble) Error() string {
	if t.Next == "" {
		return t.What
	}
	return t.What + "; " + t.Next
}

// Temporary reports whether the same attempt may succeed later without a change of settings.
func (t *Trouble) Temporary() bool {
	return t.Code == Unreachable || t.Code == NoQuorum || t.Code == Starting || t.Code == Clock
}

func (c *Conn) unreachable(err error) *Trouble {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return &Trouble{Code: Refused, What: fmt.Sprintf("work %s: NATS refuses the user or the password", c.o.Address),
			Next: "set them in the work setting, as nats://USER:PASSWORD@HOST or with ?creds=FILE"}
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return &Trouble{Code: Refused, What: fmt.Sprintf("work %s: one side wants TLS and the other does not", c.o.Address),
			Next: "use tls:// in the work setting if the servers have certificates, otherwise nats://"}
	case isCertificate(err):
		return &Trouble{Code: Refused, What: fmt.Sprintf("work %s: the certificate of the server is not accepted", c.o.Address),
			Next: "name the file of its signer with ?ca=FILE in the work setting"}
	}
	return &Trouble{Code: Unreachable, What: fmt.Sprintf("work %s: no NATS server answers", c.o.Address), Next: "start one, or correct the work setting"}
}

// ofJetStream turns an error of a request to JetStream into a Trouble.
func (c *Conn) ofJetStream(err error) *Trouble {
	if trouble := c.disconnected(); trouble != nil {
		return trouble
	}
	if c.denied.Load() {
		return &Trouble{Code: Refused, What: fmt.Sprintf("work %s: the NATS user lacks permissions", c.o.Address),
			Next: fmt.Sprintf("let it publish and subscribe to $JS.API.>, $KV.%s.>, _INBOX.> and %s", c.o.Address.bucket(), c.o.Address.subject(">"))}
	}
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return &Trouble{Code: NoJetStream, What: fmt.Sprintf("work %s: NATS answers, but without JetStream", c.o.Address),
			Next: "start nats-server with --jetstream, and enable it for the account of the user"}
	case errors.As(err, &api):
		return &Trouble{Code: NoQuorum, What: fmt.Sprintf("work %s: JetStream refuses the bucket %s: %s", c.o.Address, c.o.Address.bucket(), api.Description),
			Next: "nats server report jetstream shows its state"}
	}
	return c.noQuorum()
}

func (c *Conn) noQuorum() *Trouble {
	return &Trouble{Code: NoQuorum, What: fmt.Sprintf("work %s: JetStream does not answer", c.o.Address),
		Next: "two of three NATS servers must run and see each other"}
}
