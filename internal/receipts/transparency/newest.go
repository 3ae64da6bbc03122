package transparency

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// newestFile has the newest leaf of each dataset, so that a run needs not read all leaves.
const newestFile = leavesDir + "/newest.json"

// Logged is the newest leaf of a dataset.
type Logged struct {
	ClientID     string    `json:"client_id"`
	Product      string    `json:"product"`
	HistoryID    string    `json:"history_id"` // of the commit
	Version      uint64    `json:"version"`
	CommitSHA256 string    `json:"commit_sha256"`
	PublishedAt  time.Time `json:"published_at"` // of the commit
	Index        int64     `json:"index"`        // of the leaf
}

// newest is the content of newestFile. It may lag behind the head.
type newest struct {
	Format int      `json:"format"` // 3
	Size   int64    `json:"size"`   // of the log whose leaves it covers
	SHA256 string   `json:"sha256"` // of the list
	List   []Logged `json:"datasets"`
}

// newestFormat is the version of the file; one of another version is made again.
const newestFormat = 3

// Newest returns the newest leaf of each dataset under a head, sorted by account and product. It reads
// a small file and the leaves after it, or all leaves if the file is missing or damaged, or is of a
// larger log.
func (v *View) Newest(head Checkpoint) ([]Logged, error) {
	n, err := v.newest(head)
	return n.List, err
}

// Newest is [View.Newest], and writes the small file again if leaves were added since.
func (l *Log) Newest() ([]Logged, error) {
	head, err := l.head()
	if err != nil {
		return nil, err
	}
	stored := l.storedNewest(head.Size)
	n, err := l.newest(head.Checkpoint)
	if err != nil || n.Size == stored.Size {
		return n.List, err
	}
	n.SHA256 = sumOf(n.List)
	data, err := layout.EncodeHeader(n)
	if err != nil {
		return nil, err
	}
	if err := durable.RemoveTempsOf(l.root, newestFile); err != nil { // of a run that was killed
		return nil, err
	}
	return n.List, durable.Overwrite(l.root, newestFile, data)
}

// storedNewest reads the small file; it is empty if the file cannot be used.
func (v *View) storedNewest(size int64) (n newest) {
	data, err := durable.ReadFile(v.root, newestFile, maxRecords)
	if err == nil {
		err = layout.DecodeHeader(newestFile, data, newestFormat, &n)
	}
	if err != nil || n.Format != newestFormat || n.Size < 0 || n.Size > size || n.SHA256 != sumOf(n.List) {
		return newest{Format: newestFormat}
	}
	return n
}

func sumOf(list []Logged) string {
	data, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return durable.Hash(data)
}

func (v *View) newest(head Checkpoint) (newest, error) {
	n := v.storedNewest(head.Size)
	for n.Size < head.Size {
		number := n.Size / tileWidth
		file, err := v.recordsUpTo(head.Size, number)
		if err != nil {
			return n, err
		}
		end := min(head.Size, file.First+tileWidth)
		for ; n.Size < end; n.Size++ {
			n.add(file.Records[n.Size-file.First], n.Size)
		}
	}
	return n, nil
}

// of returns the newest leaf of the dataset of a record; zero if there is none.
func (n *newest) of(r *Record) Logged {
	if i, found := n.find(r); found {
		return n.List[i]
	}
	return Logged{}
}

func (n *newest) add(r *Record, index int64) {
	one := Logged{r.ClientID, r.Product, r.HistoryID, r.Version, r.CommitSHA256, r.PublishedAt, index}
	i, found := n.find(r)
	if !found {
		n.List = slices.Insert(n.List, i, one)
	}
	n.List[i] = one
}

func (n *newest) find(r *Record) (int, bool) {
	return slices.BinarySearchFunc(n.List, r, func(l Logged, r *Record) int {
		return cmp.Or(strings.Compare(l.ClientID, r.ClientID), strings.Compare(l.Product, r.Product))
	})
}
