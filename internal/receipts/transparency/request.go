package transparency

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Request asks a witness to cosign a checkpoint. Source: c2sp.org/tlog-witness, add-checkpoint.
type Request struct {
	Old    int64          // size of the checkpoint that the witness cosigned last; 0 for none
	Proof  tlog.TreeProof // that the checkpoint's tree begins with that one
	Signed []byte         // the checkpoint
}

// Encode returns the body of the request.
func (r Request) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "old %d\n", r.Old)
	for _, h := range r.Proof {
		fmt.Fprintf(&b, "%s\n", h)
	}
	b.WriteByte('\n')
	b.Write(r.Signed)
	return b.Bytes()
}

// ParseRequest reads the body of a request. It verifies nothing.
func ParseRequest(body []byte) (Request, error) {
	head, signed, found := bytes.Cut(body, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	old, has := strings.CutPrefix(lines[0], "old ")
	n, ok := decimal(old)
	if !found || !has || !ok {
		return Request{}, fmt.Errorf("the request does not begin with a line such as \"old 7\", or has no checkpoint")
	}
	if len(lines) > 1+maxProof {
		return Request{}, fmt.Errorf("the request has more than %d hashes", maxProof)
	}
	r := Request{Old: n, Signed: signed}
	for _, line := range lines[1:] {
		h, err := parseHash(line)
		if err != nil {
			return Request{}, err
		}
		r.Proof = append(r.Proof, h)
	}
	return r, nil
}
