package simulation

// The invariants. The first of them that does not hold ends a run.
const (
	nothingTorn    = "nothing is torn: a reader finds one whole publication"
	oneHistory     = "seq is gapless and there is one history"
	acknowledged   = "an acknowledged publication stays"
	rightFixtures  = "a cycle replaces, keeps and removes the fixtures that it must"
	ownEvents      = "a publication comes with exactly its own events"
	clientsAgree   = "the state applied by a client equals a fresh start"
	nothingForeign = "no account sees data of another"
	nothingMadeUp  = "no price that no payload had"
	removalProved  = "no removal without proof"
	verifyIsClean  = "verify is clean after recovery"
	sameRows       = "a replay of the same payloads makes the same rows"
	receiptsHold   = "every receipt still checks"
	failureSaid    = "a run that failed says so"
	wholeIsWhole   = "nothing is called damaged that is whole"
	progress       = "after the faults everything becomes fresh"
	timesRise      = "times rise"
	accountsWhole  = "the accounts are as before an edit or as after it"
	deletedGone    = "the data of a deleted account is gone"
	offIsOff       = "nothing is fetched for an account that is disabled or deleted"
	retentionKeeps = "retention deletes what its policy does not keep, and nothing else"
	limitsHold     = "requests are counted by the server of the limits, or by shares, and none fails"
	liveAgrees     = "a live publication agrees with what the provider said last"
	onTime         = "jobs run at their ticks, whatever is done to the clock"
	oneAtATime     = "two workers never run one product of an account at the same time"
)
