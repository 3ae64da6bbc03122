// Package publish is the third stage: it makes the dataset that is served out
// of the previous one and of what a cycle refreshed, and publishes it in one
// step that is seen whole or not at all.
//
// Run goes in this order, one file each: recover (also after no crash), mend what
// is damaged of the previous dataset by making it again, check the canonical
// cycle, merge and diff, which decide and do no I/O, write into staging, seal,
// and collect what retention lets go. Nothing is visible before the commit
// record, and nothing is needed after it: whatever kills a run, the next one ends
// where an unbroken one does.
//
// The caller holds the lock of the root. Publishers that run at once all the
// same do each other no harm: one of them gets the commit's number, the others
// get ErrConflict.
//
// Sources: RELIABILITY, section 2; DESIGN, section 4.
package publish
