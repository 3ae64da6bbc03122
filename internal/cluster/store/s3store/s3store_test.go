package s3store

import (
	"encoding/base64"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
)

// The driver itself is tested against a server in the module cluster.

// Addresses that are wrong are refused, and Google's S3 interface with the reason.
func TestOpen(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for parameters, want := range map[string]string{
		"region=eu-central-1&endpoint=http://127.0.0.1:9000&use_path_style=true&anonymous=true": "",
		"region=eu-central-1&s3ForcePathStyle=true&ssetype=aws:kms&kmskeyid=key":                "",
		"nonsense=canary":                                          "unknown parameter",
		"use_path_style=canary":                                    "wants true or false",
		"role=canary":                                              "arn:",
		"ssetype=canary":                                           "wants one of",
		"response_checksum_validation=no":                          "when_supported",
		"request_checksum_calculation=no":                          "when_supported",
		"endpoint=storage.googleapis.com":                          "cannot be used",
		"endpoint=https://storage.googleapis.com":                  "cannot be used",
		"endpoint=https://STORAGE.googleapis.com:443":              "cannot be used",
		"endpoint=https://bucket.storage.googleapis.com":           "cannot be used",
		"endpoint=https://storage.europe-west3.rep.googleapis.com": "cannot be used",
	} {
		_, err := Open(t.Context(), &url.URL{Scheme: "s3", Host: "bucket", RawQuery: parameters})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: %v, want %q", parameters, err, want)
		}
		// The package store names the address without its parameters.
		if _, err := store.Open(t.Context(), store.Options{URL: "s3://bucket/prefix?" + parameters}); want != "" && (err == nil || strings.Contains(err.Error(), parameters) || !strings.Contains(err.Error(), " is not valid: ")) {
			t.Errorf("%s: %v", parameters, err)
		}
	}
	for _, variable := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		t.Setenv(variable, "https://storage.googleapis.com")
		if _, err := Open(t.Context(), &url.URL{Scheme: "s3", Host: "bucket", RawQuery: "region=auto"}); err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%s: %v", variable, err)
		}
	}
}

// Each kind of checksum of S3 is compared: that of "123456789" is the check value of its
// definition.
func TestChecksums(t *testing.T) {
	body := func() io.ReadCloser { return io.NopCloser(strings.NewReader("123456789")) }
	sum := func(b ...byte) *string { s := base64.StdEncoding.EncodeToString(b); return &s }
	for name, out := range map[string]*s3.GetObjectOutput{
		"CRC32":     {ChecksumCRC32: sum(0xcb, 0xf4, 0x39, 0x26)},
		"CRC32C":    {ChecksumCRC32C: sum(0xe3, 0x06, 0x92, 0x83)},
		"CRC64NVME": {ChecksumCRC64NVME: sum(0xae, 0x8b, 0x14, 0x86, 0x0a, 0x79, 0x98, 0x88)},
	} {
		out.Body = body()
		if _, err := io.ReadAll(checked(out)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		out.Body = io.NopCloser(strings.NewReader("123456788"))
		if _, err := io.ReadAll(checked(out)); err == nil || err.(*object.Error).Kind != object.Damaged {
			t.Errorf("%s: another object: %v", name, err)
		}
		out.Body, out.ChecksumType = io.NopCloser(strings.NewReader("of parts")), types.ChecksumTypeComposite
		if _, err := io.ReadAll(checked(out)); err != nil {
			t.Errorf("%s of parts: %v", name, err)
		}
	}
}
