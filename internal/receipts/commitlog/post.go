package commitlog

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"time"
)

// Limits of a request to a witness.
const (
	postTime  = 30 * time.Second
	maxAnswer = 1 << 16
)

// witnesses sends to the witnesses of the policy. It follows no redirect.
var witnesses = &http.Client{Timeout: postTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Errors of [Post].
var (
	errAway        = errors.New("it cannot be reached")
	errCertificate = errors.New("its certificate is not trusted here (SSL_CERT_FILE names more authorities)")
)

// Post is a [mkt/internal/receipts/transparency.Post]. Its errors have no address.
func Post(ctx context.Context, url string, body []byte) (int, []byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, errAway
	}
	a, err := witnesses.Do(q)
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		return 0, nil, errCertificate
	}
	if err != nil {
		return 0, nil, errAway
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, errAway
	}
	return a.StatusCode, text, nil
}
