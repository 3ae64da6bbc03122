package health

import "slices"

// Code says why a run failed, or what happened in a run that succeeded.
type Code string

// The codes of runs.
const (
	CodeUnreachable     Code = "PROVIDER_UNREACHABLE"
	CodeCredential      Code = "CREDENTIAL_REJECTED"
	CodePermission      Code = "PERMISSION_DENIED" // the credential is valid, but does not include what was requested
	CodeRateLimited     Code = "RATE_LIMITED"      // the provider's quota is used up; also for a fetch that succeeded in part
	CodePayloadRejected Code = "PAYLOAD_REJECTED"
	CodeQuarantined     Code = "QUARANTINED"
	CodeListingHeld     Code = "LISTING_HELD" // for a publication that succeeded: a listing lacked too many fixtures at once, which were kept
	CodeSnapshotDamaged Code = "SNAPSHOT_DAMAGED"
	CodeSnapshotUnfit   Code = "SNAPSHOT_UNFIT" // the new snapshot cannot be loaded, or killed the process that loaded it
	CodeFormatNewer     Code = "FORMAT_NEWER"   // a newer version of mkt wrote the data
	CodeStorage         Code = "STORAGE"
	CodeStoreLacks      Code = "STORE_LACKS" // publications are missing in the object store
	CodeInternal        Code = "INTERNAL"
)

// FetchCodes lists the codes of a failed fetch or test of the connection.
func FetchCodes() []Code {
	return []Code{CodeUnreachable, CodeCredential, CodePermission, CodeRateLimited, CodePayloadRejected, CodeStorage, CodeInternal}
}

// Codes lists every code of a run.
func Codes() []Code {
	return append(FetchCodes(), CodeQuarantined, CodeSnapshotDamaged, CodeSnapshotUnfit, CodeFormatNewer, CodeListingHeld, CodeStoreLacks)
}

// Failure is the code of a run that failed, "" if it succeeded. It is always one of
// Codes, whatever the state file contains.
func (r *Run) Failure() Code {
	switch {
	case r.OK:
		return ""
	case !slices.Contains(Codes(), r.Code):
		return CodeInternal
	}
	return r.Code
}
