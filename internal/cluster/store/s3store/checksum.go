package s3store

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"mkt/internal/cluster/store/object"
)

// checked returns the body of an answer, compared with the checksum in the answer. An object
// stored in parts may have no checksum of the whole.
func checked(out *s3.GetObjectOutput) io.ReadCloser {
	if out.ChecksumType == types.ChecksumTypeComposite {
		return out.Body
	}
	for _, known := range []struct {
		want *string
		of   func() hash.Hash
	}{
		{out.ChecksumCRC32, func() hash.Hash { return crc32.NewIEEE() }},
		{out.ChecksumCRC32C, func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }},
		{out.ChecksumCRC64NVME, func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) }},
		{out.ChecksumSHA256, sha256.New},
		{out.ChecksumSHA1, sha1.New},
	} {
		if known.want == nil {
			continue
		}
		if want, err := base64.StdEncoding.DecodeString(*known.want); err == nil {
			return object.Checked(out.Body, known.of(), want)
		}
	}
	return out.Body
}
