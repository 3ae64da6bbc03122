package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"mkt/fetch/provider"
)

// failure is why there is no complete answer. There is a fixed set of them, and
// none contains anything that was sent or received.
type failure struct {
	code string        // for the archive and for counters
	text string        // for people
	kind provider.Kind // Retryable or Rejected
	once bool          // another try would not help
	from error         // sentinel to branch on, may be nil
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.from }

var (
	// Without any answer.
	noName      = &failure{code: "NAME", text: "the host's name does not resolve"}
	forbidden   = &failure{code: "ADDRESS", text: "the host's address is not a public one", once: true, from: ErrForbidden}
	refused     = &failure{code: "REFUSED", text: "connection refused"}
	reset       = &failure{code: "RESET", text: "connection broken off"}
	timedOut    = &failure{code: "TIMEOUT", text: "no answer in time"}
	badCert     = &failure{code: "CERTIFICATE", text: "the host's certificate is refused (expired, another host's, or not trusted)", once: true}
	badTLS      = &failure{code: "TLS", text: "no secure connection: TLS 1.2 or newer is needed", once: true}
	badHTTP     = &failure{code: "HTTP", text: "the answer is not HTTP, or its header is too large"}
	broken      = &failure{code: "BROKEN_OFF", text: "connection failed"}
	badRequest  = &failure{code: "REQUEST", text: "the adapter's request cannot be sent", once: true}
	circuitOpen = &failure{code: "CIRCUIT_OPEN", text: "not sent: the last attempts all failed"}

	// With part of an answer.
	truncated   = &failure{code: "BODY_TRUNCATED", text: "the answer ended too early"}
	tooSlow     = &failure{code: "BODY_TOO_SLOW", text: "the answer came too slowly", once: true}
	tooLarge    = &failure{code: "BODY_TOO_LARGE", text: "the answer is larger than allowed", kind: provider.Rejected, once: true}
	bomb        = &failure{code: "BODY_BOMB", text: "the answer decompresses to more than is plausible", kind: provider.Rejected, once: true}
	badEncoding = &failure{code: "BODY_ENCODING", text: "the answer has an encoding that was not requested, or is damaged", kind: provider.Rejected}
)

func init() {
	for _, f := range []*failure{noName, forbidden, refused, reset, timedOut, badCert, badTLS, badHTTP, broken, circuitOpen, truncated, tooSlow} {
		f.kind = provider.Retryable
	}
}

var (
	// errBudget ends a run whose time is used up.
	errBudget = fmt.Errorf("%w: the run's time is used up", provider.ErrUnreachable)
	// errGivenUp marks an attempt that says nothing about the provider.
	errGivenUp = errors.New("given up")
)

// sendFailure returns why the header of an answer was not received. If the error does
// not say it, the phase that was reached does.
func sendFailure(err error, reached phase) *failure {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrForbidden):
		return forbidden
	case errors.As(err, &verify):
		return badCert
	case errors.As(err, &record) || errors.As(err, &alert):
		return badTLS
	case isTimeout(err):
		return timedOut
	case errors.As(err, &dns):
		return noName
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return reset
	case reached == shakingHands:
		return badTLS
	case reached == answering:
		return badHTTP
	}
	return broken
}

// bodyFailure returns why an answer's body broke off.
func bodyFailure(ctx context.Context, err error) *failure {
	var f *failure
	var packed flate.CorruptInputError
	switch {
	case errors.As(context.Cause(ctx), &f):
		return f
	case errors.As(err, &packed) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum):
		return badEncoding
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return truncated
	case isTimeout(err):
		return tooSlow
	}
	return reset
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// phase is how far an attempt got.
type phase int32

const (
	connecting phase = iota
	shakingHands
	sending
	answering
)
