package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"

	"mkt/publish/snapshot"
)

// classify turns an error of the library into one of this package. Its text names the
// operation and the object, and nothing that the store or the library said: that may
// contain addresses and parts of the credential.
func classify(op, key string, err error) error {
	status, code := answer(err)
	switch kind := gcerrors.Code(err); {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("object store: %s %s: %w", op, key, context.Canceled)
	case isCorrupt(err):
		return fmt.Errorf("object store: %s: %w: it differs from the checksum that the store has of it: %w", key, snapshot.ErrDamaged, errRepair)
	case kind == gcerrors.NotFound && code != "NoSuchBucket" && code != "ContainerNotFound":
		return fmt.Errorf("object store: %s %s: %w", op, key, fs.ErrNotExist)
	case kind == gcerrors.FailedPrecondition && status != http.StatusConflict:
		return fmt.Errorf("object store: %s %s: %w", op, key, fs.ErrExist)
	case status == http.StatusInsufficientStorage, strings.Contains(code, "QuotaExceeded"), strings.Contains(code, "StorageFull"):
		return fmt.Errorf("object store: %s %s: %w", op, key, ErrFull)
	case code == "NoSuchBucket", code == "ContainerNotFound":
		return fmt.Errorf("object store: %s %s: %w", op, key, ErrNoBucket)
	case kind == gcerrors.PermissionDenied, isSetting(status, code), status == http.StatusForbidden, status == http.StatusUnauthorized, noCredential(err):
		return fmt.Errorf("object store: %s %s: %w%s", op, key, ErrRefused, said(status, code))
	}
	return fmt.Errorf("object store: %s %s: %w%s", op, key, ErrAway, said(status, code))
}

// isSetting reports whether a request is refused for what the settings say, such as an
// expired token or the region of another bucket, and not for what may pass. The answer to a
// HEAD has no code.
func isSetting(status int, code string) bool {
	switch {
	case status >= 300 && status < 400:
		return true
	case status != http.StatusBadRequest:
		return false
	}
	return slices.Contains([]string{"", "BadRequest", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthorizationHeaderMalformed", "InvalidBucketName"}, code)
}

// isCorrupt reports whether an object was received that is not the one that was stored. The
// libraries have no value for it.
func isCorrupt(err error) bool {
	text := err.Error()
	return strings.Contains(text, "checksum did not match") || strings.Contains(text, "bad CRC on read")
}

// said is what a store answered, in words that cannot be secret.
func said(status int, code string) string {
	switch {
	case status > 0 && isWord(code):
		return fmt.Sprintf(" (it answered %d %s)", status, code)
	case status > 0:
		return fmt.Sprintf(" (it answered %d)", status)
	}
	return ""
}

func isWord(s string) bool {
	return s != "" && len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// answer returns the HTTP status and the error code in an answer of a store; 0 and "" if
// there was no answer.
func answer(err error) (status int, code string) {
	var s3 *smithyhttp.ResponseError
	if errors.As(err, &s3) {
		status = s3.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	var azure *azcore.ResponseError
	if errors.As(err, &azure) {
		status, code = azure.StatusCode, azure.ErrorCode
	}
	var google *googleapi.Error
	if errors.As(err, &google) {
		status = google.Code
	}
	return status, code
}

// noCredential reports whether the request was not sent because there is no credential.
func noCredential(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed to refresh cached credentials") || strings.Contains(text, "could not find default credentials") ||
		strings.Contains(text, "get identity") || strings.Contains(text, "no EC2 IMDS role")
}
