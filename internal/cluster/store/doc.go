// Package store keeps publications in an object store with the protocol of S3. They
// survive the loss of any machine, and other machines can read them. The stages and the reader
// still work on the data root on the disk: this package ships every publication to the store
// before it is visible in the root, and copies publications from the store into a root.
//
// Below the prefix of the store, each account's product has these objects:
//
//	client_id=<id>/product=<product>/
//	  packs/<20 digits>-<16 hex>.tar   everything of one publication
//	  changes/<name>-<16 hex>.parquet  a segment of the change log
//	  commits/<20 digits>.json         the very bytes of the commit record
//	  raw/from=<minute>.tar.zst        archived answers that were compacted before a push
//	  state.tar                        the newest state files
//	  COLLECTED                        the record of the deletions here
//	  FIRST                            the oldest commit record, if it is not number 1
//	client_id=<id>/state.tar           the state files of the account
//	accounts/<20 digits>.yaml          the versions of tenants.yaml
//	accounts/<20 digits>-<16 hex>.log  the entries of the audit log of a version
//	log/<20 digits>.tar                a full tile of the transparency log
//	log/last.tar                       its other files
//	log/checkpoint                     its head, which all of them are at least as new as
//	id-key.fingerprint                 of the key which made all ids
//
// A publication is made by creating its commit record, which is only created if there is none of
// its number. If the answer is lost, or says that there is one, the record is read back and
// compared. Everything it names was stored before it. The name of a pack has the number of the
// commit and the beginning of the manifest's hash; the name of a segment has the beginning of its
// own hash. So two writers of one number do not overwrite each other's files. A pack is a plain
// tar archive whose names are those of a data root. The parts needed by a reader of the newest
// data come first: the snapshot, then the canonical cycle, then the raw one.
//
// Nothing in the store is ever changed but state.tar, COLLECTED, the last two of the log, and damaged objects, which
// [Dataset.Repair] stores again.
package store
