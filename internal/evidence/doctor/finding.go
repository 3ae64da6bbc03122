package doctor

import (
	"maps"
	"time"
)

// Level is how severe a finding is.
type Level string

const (
	OK   Level = "OK"
	Note Level = "NOTE" // nothing is wrong, and something is left to do
	Warn Level = "WARN"
	Fail Level = "FAIL"
)

// Finding is the result of one check, or of several with one cause.
type Finding struct {
	Level   Level    `json:"level"`
	Area    string   `json:"area"`
	Code    string   `json:"code"` // one of Codes; "" if OK
	Tenant  string   `json:"client_id,omitempty"`
	Product string   `json:"product,omitempty"`
	File    string   `json:"file,omitempty"`
	What    string   `json:"what"`
	Fix     string   `json:"fix,omitempty"`     // a command to paste, or a sentence
	Count   int      `json:"count"`             // how many checks found the cause
	Details []Detail `json:"details,omitempty"` // what each found, if they are several

	cause  string // findings with the same have one cause; "" is a cause of its own
	common string // the fix for several accounts; "" if it is Fix
}

// Detail is what one check of several with one cause found.
type Detail struct {
	Code    string `json:"code"`
	Tenant  string `json:"client_id,omitempty"`
	Product string `json:"product,omitempty"`
	File    string `json:"file,omitempty"`
	What    string `json:"what"`
}

// Report is the result of a run.
type Report struct {
	CheckedAt time.Time `json:"checked_at"`
	Healthy   bool      `json:"healthy"` // nothing failed
	Checks    int       `json:"checks"`
	Warnings  int       `json:"warnings"`
	Failures  int       `json:"failures"`
	Findings  []Finding `json:"findings"` // what is wrong or left to do, one for each cause, in the order of the areas
	Passed    []Finding `json:"-"`        // the checks at [OK]
}

// codes describes every code. docs/reference.md has a line for each.
var codes = map[string]string{
	"SEAL_KEY_MISSING":    "there is no sealing key",
	"SEAL_KEY_UNREADABLE": "the sealing key cannot be read by this user",
	"SEAL_KEY_MODE":       "others may read the sealing key",
	"SEAL_KEY_INVALID":    "the sealing key's file holds no key",
	"CREDENTIAL_SEALED":   "a sealed credential cannot be opened with the sealing key",
	"CREDENTIAL_MOVED":    "a sealed credential was sealed for another tenant or provider",
	"ID_KEY_MISSING":      "there is no id key",
	"ID_KEY_UNREADABLE":   "the id key cannot be read by this user",
	"ID_KEY_MODE":         "others may read the id key",
	"ID_KEY_INVALID":      "the id key's file holds no key",
	"ID_KEY_OTHER":        "the data was made with another id key",

	"FILE_WRITABLE":     "every user may write a file or folder that mkt relies on",
	"DATA_NOT_FOLDER":   "the data root is not a folder",
	"DATA_NOT_WRITABLE": "the data root cannot be written by this user",
	"DATA_READABLE":     "every user may read the data root",
	"OWNER_DIFFERS":     "files of one installation belong to several users",
	"AUDIT_MODE":        "others may read the audit log",
	"AUDIT_BROKEN":      "the audit log cannot be appended to, so no account can be changed",
	"EDIT_DEBRIS":       "a file of an interrupted edit of the accounts",

	"SERVICE_UNSET": "the service has no name or no support address of its own; /status shows clients the defaults",

	"TENANTS_MISSING":  "there is no tenants file",
	"TENANTS_NONE":     "there is no account yet",
	"TENANTS_INVALID":  "the tenants file is invalid; the last valid one stays in force",
	"TENANTS_UNSEALED": "the tenants file has no valid seal: nobody can see whether it is complete",
	"TOKEN_DUPLICATE":  "two accounts share a token",
	"TENANT_UNKNOWN":   "the requested tenant is not in the file",
	"TOKEN_NONE":       "nobody can use the account: it has no token",
	"REVOKED_UNDONE":   "an account that was revoked permanently is not revoked any more",
	"PRODUCT_NONE":     "the account has no product",
	"PRODUCT_EXPIRED":  "a product has expired",
	"PROVIDER_NONE":    "the account has no provider",
	"BASE_URL_REFUSED": "fetch refuses the provider's base URL",
	"DATA_UNKNOWN":     "data of a tenant that is not in the file",

	"NEVER_RAN":          "no cycle of a product has been published yet",
	"CYCLE_OVERDUE":      "the newest successful cycle is older than two cadences",
	"CYCLE_FAILING":      "the newest run of a step failed",
	"BOOKMAKER_UNKNOWN":  "the provider does not know the bookmaker of an account",
	"CREDENTIAL_UNTRIED": "a credential was not tried yet",
	"CREDENTIAL_REFUSED": "the provider refuses a credential",
	"TEST_FAILED":        "the newest test of a connection failed",
	"NOT_IN_PLAN":        "the plan of the account does not include what a product needs",
	"LISTING_HELD":       "listings of a day lack so many fixtures that they are kept",
	"QUOTA_USED_UP":      "the provider's quota is used up: nothing is requested for the account until it is renewed",
	"QUOTA_TOO_SMALL":    "the provider's quota does not carry the schedule of the account",
	"LISTING_SHORT":      "the newest list of fixtures is empty or has fewer than it says, so no fixture is removed",
	"PRICES_STOPPED":     "a third of the newest prices or more are 1, which is no offer",
	"PAYLOAD_CHANGED":    "the provider's answers lack what they had for a week, or have a new member or an unknown market",
	"STATE_UNREADABLE":   "a state file cannot be read; the next run rewrites it",

	"SCHEDULE_NOT_RUNNING": "no mkt schedule runs on this machine, and a product is new or overdue",
	"SERVE_NOT_RUNNING":    "no mkt serve runs on this machine",

	"CURRENT_STALE":    "CURRENT does not name the newest commit; readers find it without CURRENT",
	"COMMIT_DAMAGED":   "the newest commit record is damaged",
	"CHAIN_BROKEN":     "a commit record is missing, or does not follow the one before",
	"MANIFEST_DAMAGED": "the manifest of the newest snapshot is damaged",
	"SNAPSHOT_DAMAGED": "a file of the newest snapshot is damaged",
	"SNAPSHOT_FOREIGN": "the newest snapshot belongs to another tenant or product",
	"CHANGES_DAMAGED":  "a file of the change log or of the steps of prices is damaged",
	"FORMAT_NEWER":     "a newer version of mkt wrote the newest publication; it is not damaged",

	"SNAPSHOT_QUARANTINED": "the newest publication killed the server that loaded it",

	"LOG_BEHIND":      "publications are not in the transparency log for more than ten minutes",
	"LOG_REFUSED":     "an account's publications do not continue those that were logged, so none is logged any more",
	"LOG_UNWITNESSED": "the newest head of the transparency log has fewer cosignatures than the policy asks for, or a witness refuses it",
	"LOG_DAMAGED":     "the transparency log cannot be read, is an older copy, or another key has signed it",

	"CLOCK_BEHIND":   "the newest publication is in the future",
	"CLOCK_DIFFERS":  "this clock and the provider's differ",
	"LOCK_STUCK":     "a lock is held by a process that is not running",
	"STAGING_DEBRIS": "files of interrupted runs are more than a day old",
	"DISK_SPACE":     "the disk has space for fewer than ten cycles",
	"DISK_INODES":    "the disk has inodes for fewer than ten cycles",
	"UNREADABLE":     "a file or folder cannot be read",

	"REDIS_UNREACHABLE": "the server of the redis setting does not answer",
	"REDIS_REFUSED":     "Redis refuses the credentials or a command",
	"REDIS_SLOW":        "Redis takes so long that requests are judged without it",
	"REDIS_EVICTS":      "Redis may delete keys before they expire",
	"REDIS_EXPOSED":     "every user may read the password of Redis",
	"REDIS_CLOCK":       "this clock and that of Redis differ; a worker with such a clock runs no account",
	"REDIS_REPLICA":     "two replicas have the same name",
	"REDIS_FOREIGN":     "two installations use the same server and the same prefix",
	"REDIS_NO_WORKERS":  "no worker runs the cycles",

	"STORE_INVALID":    "the object store cannot be opened: its address or the credential in the environment is not valid",
	"STORE_AWAY":       "the object store cannot be reached, or fails",
	"STORE_BUCKET":     "the object store has no bucket of this name",
	"STORE_REFUSES":    "the object store refuses the credential, or does not allow an operation",
	"STORE_FULL":       "the object store takes no more data",
	"STORE_UNSAFE":     "the object store ignores conditional writes, so two writers could overwrite each other's publications",
	"STORE_SLOW":       "the object store is slow",
	"STORE_CLOCK":      "this clock and the object store's differ",
	"STORE_ID_KEY":     "the object store was written with another id key",
	"STORE_LACKS":      "the object store lacks publications that it should have",
	"STORE_DIVERGED":   "this data root and the object store have different publications of one number",
	"STORE_LOST":       "the object store has packs that no commit names",
	"STORE_DAMAGED":    "a commit record in the object store is damaged",
	"ACCOUNTS_BEHIND":  "this machine does not have the newest accounts of the object store",
	"ACCOUNTS_BY_HAND": "the accounts were changed by hand on this machine, and are not in the object store",
	"ACCOUNTS_INVALID": "the newest accounts in the object store are not valid; those before stay in force",
	"REPLICA_BEHIND":   "the copy that this machine serves lacks publications of the object store",

	"PROVIDER_UNREACHABLE": "the provider cannot be reached",
	"PROVIDER_REFUSES":     "the provider refuses the credential",
	"PROVIDER_LIMITED":     "the provider's quota is used up",
	"PROVIDER_ODD":         "the provider's answer is not the requested one",
}

// Codes returns every code with its description.
func Codes() map[string]string {
	return maps.Clone(codes)
}
