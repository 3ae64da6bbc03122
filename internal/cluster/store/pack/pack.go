// Package pack reads and writes packs: all files of one publication in a tar archive, in the order in
// which readers need them.
package pack

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Name is the name of the pack of a commit.
func Name(c snapshot.Commit) string {
	return fmt.Sprintf("packs/%020d-%.16s.tar", c.Version, c.ManifestSHA256)
}

// Parse parses the number of the commit from the name of a pack.
func Parse(base string) (version uint64, ok bool) {
	number, _, ok := strings.Cut(base, "-")
	if !ok || !strings.HasSuffix(base, ".tar") {
		return 0, false
	}
	return layout.ParseCommit(number + ".json")
}

// The parts of a pack, in its order.
const (
	Served    = iota // the snapshot: all that a reader of the newest data needs
	Canonical        // the start of the next cycle
	Archived         // the raw cycle
)

// Folders are the folders of a pack's parts.
func Folders(cycle layout.CycleID) []string {
	return []string{layout.Cycle(layout.SnapshotsDir, cycle), layout.Cycle(layout.CanonicalDir, cycle), layout.Cycle(layout.RawDir, cycle)}
}

// mostFiles bounds the files of a pack: a raw cycle has one for every answer.
const mostFiles = 100_000

// packer writes a pack. The same files make the same bytes.
type packer struct {
	ctx  context.Context
	root durable.ReadFS
	out  *tar.Writer
	// names has the first name of each content, by its hash. Live snapshots have copies of
	// canonical files, which a pack stores once.
	names map[string]string
}

// Write writes the pack of a commit. Retention may have deleted some of its folders in the
// root. It returns the number of files; 0 means nothing is left.
func Write(ctx context.Context, root durable.ReadFS, c snapshot.Commit, w io.Writer) (files int, err error) {
	p := &packer{ctx: ctx, root: root, out: tar.NewWriter(w), names: map[string]string{}}
	for _, dir := range Folders(c.CycleID) {
		n, err := p.folder(dir, c)
		if err != nil {
			return files, err
		}
		files += n
	}
	return files, p.out.Close()
}

// folder writes the files of one folder, in the order of its header. Each is compared with
// the header before it is written.
func (p *packer) folder(dir string, c snapshot.Commit) (files int, err error) {
	sealed, err := p.sealed(dir, c)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, f := range sealed {
		if err := p.file(dir+"/"+f.Name, f); err != nil {
			return files, err
		}
		files++
	}
	return files, nil
}

// sealed lists the files of a folder as its header describes them, header first. A raw cycle has
// another kind of header: the folder itself lists its files.
func (p *packer) sealed(dir string, c snapshot.Commit) ([]snapshot.File, error) {
	header, want := layout.ManifestFile, c.ManifestSHA256
	switch {
	case strings.HasPrefix(dir, layout.RawDir+"/"):
		return p.listed(dir, c)
	case strings.HasPrefix(dir, layout.CanonicalDir+"/"):
		header, want = layout.CanonicalFile, c.CanonicalSHA256
	}
	m, sum, err := snapshot.ReadManifest(p.root, dir+"/"+header)
	if err != nil {
		return nil, err
	}
	if want != "" && sum != want {
		return nil, fmt.Errorf("%s/%s: %w: it is not the one that commit %d names", dir, header, snapshot.ErrDamaged, c.Version)
	}
	info, err := p.root.Stat(dir + "/" + header)
	if err != nil {
		return nil, err
	}
	return append([]snapshot.File{{Name: header, Bytes: info.Size(), SHA256: sum}}, m.Files...), nil
}

func (p *packer) listed(dir string, c snapshot.Commit) ([]snapshot.File, error) {
	files, err := p.below(dir, "")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name == layout.RawCycleFile && c.RawSHA256 != "" && f.SHA256 != c.RawSHA256 {
			return nil, fmt.Errorf("%s/%s: %w: it is not the one that commit %d names", dir, f.Name, snapshot.ErrDamaged, c.Version)
		}
	}
	return files, nil
}

// below lists the files of a folder and of its sub-folders.
func (p *packer) below(dir, sub string) (files []snapshot.File, err error) {
	entries, err := p.root.ReadDir(path.Join(dir, sub))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(sub, e.Name())
		if e.IsDir() {
			more, err := p.below(dir, name)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
			continue
		}
		if _, temporary := durable.TempOf(e.Name()); temporary || !e.Type().IsRegular() {
			continue
		}
		size, sum, err := durable.HashFile(p.root, dir+"/"+name)
		if err != nil {
			return nil, err
		}
		files = append(files, snapshot.File{Name: name, Bytes: size, SHA256: sum})
	}
	return files, nil
}

func (p *packer) file(name string, f snapshot.File) error {
	if first := p.names[f.SHA256]; first != "" {
		return p.out.WriteHeader(Header(name, tar.TypeLink, first, 0))
	}
	p.names[f.SHA256] = name
	r, err := p.root.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	if r.Size() != f.Bytes {
		return fmt.Errorf("%s: %w: %d bytes, sealed with %d", name, snapshot.ErrDamaged, r.Size(), f.Bytes)
	}
	if err := p.out.WriteHeader(Header(name, tar.TypeReg, "", f.Bytes)); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(durable.Until(p.ctx, p.out), sum), r); err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s: %w: hash differs from the sealed one", name, snapshot.ErrDamaged)
	}
	return nil
}

// Header is the header of a file in a tar archive whose bytes depend on its files alone. link is the file
// that it is a link to, or "".
func Header(name string, kind byte, link string, size int64) *tar.Header {
	return &tar.Header{Name: name, Typeflag: kind, Linkname: link, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
}

// Unpack reads a pack, up to a part, and writes its files below dir, an empty folder of f. A pack
// that ends early, or has an impossible name, is [snapshot.ErrDamaged].
func Unpack(ctx context.Context, pack io.Reader, c snapshot.Commit, upTo int, f durable.FS, dir string) error {
	counted := &countedReader{r: pack}
	in := tar.NewReader(counted)
	known := Folders(c.CycleID)
	made := map[string]bool{}
	var end int64
	for files := 0; ; files++ {
		h, err := in.Next()
		if err == io.EOF {
			if counted.n < end+2*tarBlock {
				return fmt.Errorf("%s: %w: it ends early", Name(c), snapshot.ErrDamaged)
			}
			return nil
		}
		if err != nil {
			return packError(c, err)
		}
		part := partOf(known, h.Name)
		if part < 0 || files == mostFiles {
			return fmt.Errorf("%s: %w: it has an unknown file", Name(c), snapshot.ErrDamaged)
		}
		if part > upTo {
			return nil
		}
		if parent := dir + "/" + path.Dir(h.Name); !made[parent] {
			if err := durable.MkdirAllSync(f, parent); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := unpackFile(ctx, in, h, known, f, dir); err != nil {
			return packError(c, err)
		}
		end = counted.n - counted.n%tarBlock
	}
}

const tarBlock = 512

// partOf returns the part of a name, -1 for none.
func partOf(folders []string, name string) int {
	for i, dir := range folders {
		if base, ok := strings.CutPrefix(name, dir+"/"); ok && base != "" && path.Clean("/"+base) == "/"+base {
			return i
		}
	}
	return -1
}

func unpackFile(ctx context.Context, in io.Reader, h *tar.Header, folders []string, f durable.FS, dir string) error {
	name := dir + "/" + h.Name
	switch {
	case h.Typeflag == tar.TypeLink && partOf(folders, h.Linkname) >= 0:
		return f.Link(dir+"/"+h.Linkname, name)
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: %s is no file", snapshot.ErrDamaged, path.Base(h.Name))
	}
	return durable.Create(f, name, func(w io.Writer) error {
		n, err := io.Copy(durable.Until(ctx, w), in)
		if err == nil && n != h.Size {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
}

// packError marks an error of reading a pack as damage, unless the store or the disk failed.
func packError(c snapshot.Commit, err error) error {
	if errors.Is(err, tar.ErrHeader) || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, object.ErrAway) {
		return fmt.Errorf("%s: %w: %w", Name(c), snapshot.ErrDamaged, err)
	}
	return err
}

type countedReader struct {
	r io.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ErrNoSnapshot: retention had deleted the snapshot before the publication was pushed.
var ErrNoSnapshot = errors.New("it has no snapshot")

// Manifest reads the manifest of a publication, the first file of its pack, as bytes.
func Manifest(pack io.Reader, c snapshot.Commit) ([]byte, error) {
	in := tar.NewReader(pack)
	h, err := in.Next()
	if err == nil && partOf(Folders(c.CycleID), h.Name) > Served {
		return nil, fmt.Errorf("%s: %w", Name(c), ErrNoSnapshot)
	}
	if err == nil && (h.Name != c.Dir()+"/"+layout.ManifestFile || h.Size > object.MaxObject) {
		err = fmt.Errorf("%s: %w: it does not begin with the manifest", Name(c), snapshot.ErrDamaged)
	}
	if err != nil {
		return nil, packError(c, err)
	}
	data, err := io.ReadAll(in)
	return data, packError(c, err)
}

// Verify compares the files of a part with its header, and the header with the commit.
func Verify(f durable.ReadFS, dir string, part int, c snapshot.Commit) error {
	name, want := layout.ManifestFile, c.ManifestSHA256
	switch part {
	case Canonical:
		name, want = layout.CanonicalFile, c.CanonicalSHA256
	case Archived:
		if c.RawSHA256 == "" {
			return nil
		}
		_, sum, err := durable.HashFile(f, dir+"/"+layout.RawCycleFile)
		if err == nil && sum != c.RawSHA256 {
			err = fmt.Errorf("%w: %s differs from the commit", snapshot.ErrDamaged, layout.RawCycleFile)
		}
		return err
	}
	m, sum, err := snapshot.ReadManifest(f, dir+"/"+name)
	if err != nil {
		return err
	}
	if want != "" && sum != want {
		return fmt.Errorf("%w: %s differs from the commit", snapshot.ErrDamaged, name)
	}
	return snapshot.Verify(f, dir, m)
}
