// Package store keeps publications in an object store (S3, Google Cloud Storage, Azure),
// so that they survive the loss of any machine and other machines can read them. The data
// root on the disk stays what the stages and the reader work on: this package ships every
// publication to the store before it is visible in the root, and copies publications from
// the store into a root.
//
// Below the prefix of the store, each account's product has these objects:
//
//	client_id=<id>/product=<product>/
//	  packs/<20 digits>-<16 hex>.tar   everything of one publication
//	  changes/<name>-<16 hex>.parquet  a segment of the change log
//	  commits/<20 digits>.json         the very bytes of the commit record
//	  raw/from=<minute>.tar.zst        archived answers that were compacted before a push
//	  state.tar                        the newest state files
//	  COLLECTED                        what retention deleted here
//	  FIRST                            the oldest commit record, if it is not number 1
//	client_id=<id>/state.tar           the state files of the account
//	accounts/<20 digits>.yaml          the versions of tenants.yaml
//	accounts/<20 digits>-<16 hex>.log  the entries of the audit log of a version
//	id-key.fingerprint                 of the key that all ids were made with
//
// A commit record is created only if there is none of its number, which makes the
// publication. If the answer is lost or says that there is one, the record is read back
// and compared. Everything that it names was stored before it. A pack's name has the number
// of the commit and the beginning of the manifest's hash, and a segment's the beginning of its
// own, so that two writers of one number do not overwrite each other's files. What a reader of
// the newest data needs comes first in a pack: the snapshot, then the canonical cycle, then the
// raw one. It is a plain tar archive whose names are those of a data root.
//
// Nothing is ever changed in the store but state.tar and COLLECTED, and objects that are
// damaged, which Repair stores again.
package store
