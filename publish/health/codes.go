package health

import "slices"

// Codes of runs. They are the closed set that Run.Code is from.
const (
	CodeUnreachable     = "PROVIDER_UNREACHABLE"
	CodeCredential      = "CREDENTIAL_REJECTED"
	CodePermission      = "PERMISSION_DENIED" // the credential is known, and does not include what was asked for
	CodeRateLimited     = "RATE_LIMITED"      // the provider's quota is used up; also of a fetch that succeeded in part
	CodePayloadRejected = "PAYLOAD_REJECTED"
	CodeQuarantined     = "QUARANTINED"
	CodeListingHeld     = "LISTING_HELD" // of a publication that succeeded: a listing lost too many fixtures at once, they were kept
	CodeSnapshotDamaged = "SNAPSHOT_DAMAGED"
	CodeStorage         = "STORAGE"
	CodeInternal        = "INTERNAL"
)

// FetchCodes lists the codes of a failed fetch or test of the connection.
func FetchCodes() []string {
	return []string{CodeUnreachable, CodeCredential, CodePermission, CodeRateLimited, CodePayloadRejected, CodeStorage, CodeInternal}
}

// Codes lists every code of a run.
func Codes() []string {
	return append(FetchCodes(), CodeQuarantined, CodeSnapshotDamaged, CodeListingHeld)
}

// Failure is the code of a run that failed, "" of one that succeeded. Whatever the
// state file holds, it is one of Codes.
func (r *Run) Failure() string {
	switch {
	case r.OK:
		return ""
	case !slices.Contains(Codes(), r.Code):
		return CodeInternal
	}
	return r.Code
}
