package health

import "slices"

// Code is the reason why a run failed, or an event of a successful run.
type Code string

// The codes of runs.
const (
	CodeUnreachable     Code = "PROVIDER_UNREACHABLE"
	CodeCredential      Code = "CREDENTIAL_REJECTED"
	CodePermission      Code = "PERMISSION_DENIED" // the credential is valid, but does not include the requested data
	CodeRateLimited     Code = "RATE_LIMITED"      // the provider's quota is used up; also for a fetch with a partial success
	CodePayloadRejected Code = "PAYLOAD_REJECTED"
	CodeQuarantined     Code = "QUARANTINED"
	CodeListingHeld     Code = "LISTING_HELD" // for a successful publication: a listing lacked too many fixtures at once, which were kept
	CodeSnapshotDamaged Code = "SNAPSHOT_DAMAGED"
	CodeSnapshotUnfit   Code = "SNAPSHOT_UNFIT" // the new snapshot cannot be loaded, or killed the loading process
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

// Failure is the code of a failed run, "" if it succeeded. It is always one of [Codes], whatever
// the state file contains.
func (r *Run) Failure() Code {
	switch {
	case r.OK:
		return ""
	case !slices.Contains(Codes(), r.Code):
		return CodeInternal
	}
	return r.Code
}
