// Command image writes an image for containers as an OCI archive: a binary, its shared libraries
// and the named files, in one layer. It needs no container engine, no base image and no network.
// The same input makes the same bytes.
//
//	go run ./scripts/image -arch amd64 -libs /lib/x86_64-linux-gnu -version v1 -out mkt.oci.tar bin/mkt
//
// scripts/release.sh calls it.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// user is the user id of the process. The host must not have a name for it.
const user = 65532

type options struct {
	arch, version, revision, licence string
	libs                             []string          // folders with shared libraries
	files                            map[string]string // by their place in the image
	at                               time.Time         // of all entries
}

func main() {
	o := options{files: map[string]string{}}
	flag.StringVar(&o.arch, "arch", "amd64", "architecture, as Go names it")
	flag.StringVar(&o.version, "version", "dev", "label of the image")
	flag.StringVar(&o.revision, "revision", "", "commit, label of the image")
	flag.StringVar(&o.licence, "licence", "", "SPDX expression, label of the image")
	flag.Func("libs", "folder of shared libraries; repeatable", func(s string) error { o.libs = append(o.libs, s); return nil })
	flag.Func("file", "PLACE=FILE, a file for the image; repeatable", func(s string) error {
		place, file, ok := strings.Cut(s, "=")
		if !ok || !path.IsAbs(place) {
			return errors.New("want PLACE=FILE")
		}
		o.files[place] = file
		return nil
	})
	epoch := flag.Int64("time", 0, "seconds since 1970, the time of all files")
	out := flag.String("out", "", "the archive")
	flag.Parse()
	o.at = time.Unix(*epoch, 0).UTC()
	if *out == "" || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o, flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(o options, binary, out string) error {
	o.files["/usr/bin/mkt"] = binary
	if err := o.addLibraries(binary); err != nil {
		return err
	}
	layer, plain, err := o.layer()
	if err != nil {
		return err
	}
	part := out + ".part"
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	if err := errors.Join(o.archive(f, layer, plain), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, out)
}

// addLibraries adds the libraries of a binary for its dynamic linker, and the linker itself.
func (o options) addLibraries(binary string) error {
	f, err := elf.Open(binary)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
		if err != nil {
			return err
		}
		linker := strings.TrimRight(string(name), "\x00")
		if o.files[linker], err = o.library(path.Base(linker)); err != nil {
			return err
		}
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	for _, name := range needed {
		place := "/lib/" + name
		if o.files[place] != "" || strings.HasPrefix(name, "ld-linux") {
			continue
		}
		file, err := o.library(name)
		if err != nil {
			return err
		}
		o.files[place] = file
		if err := o.addLibraries(file); err != nil {
			return err
		}
	}
	return nil
}

func (o options) library(name string) (string, error) {
	for _, dir := range o.libs {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: in none of %s", name, strings.Join(o.libs, ", "))
}

// folders have a mode and an owner of their own. All others belong to root.
var folders = map[string]struct {
	mode  int64
	owner int
}{
	"/tmp":                    {0o1777, 0},
	"/etc/mkt":                {0o755, 0},
	"/var/lib/mkt":            {0o755, user},
	"/var/lib/mkt/data":       {0o750, user},
	"/var/lib/mkt/data/usage": {0o750, user},
}

// texts are small files. Without nsswitch.conf a resolver may not read /etc/hosts.
var texts = map[string]string{
	"/etc/passwd":        fmt.Sprintf("root:x:0:0::/:/sbin/nologin\nmkt:x:%d:%d::/var/lib/mkt:/sbin/nologin\n", user, user),
	"/etc/group":         fmt.Sprintf("root:x:0:\nmkt:x:%d:\n", user),
	"/etc/nsswitch.conf": "hosts: files dns\n",
}

// layer returns the files of the image as a compressed tar, and the digest of the tar itself.
func (o options) layer() (compressed []byte, plain string, err error) {
	var b bytes.Buffer
	sum := sha256.New()
	pack, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, "", err
	}
	w := tar.NewWriter(io.MultiWriter(pack, sum))
	places := slices.Concat(slices.Collect(maps.Keys(o.files)), slices.Collect(maps.Keys(folders)), slices.Collect(maps.Keys(texts)))
	made := map[string]bool{"/": true}
	for _, place := range slices.Compact(slices.Sorted(slices.Values(places))) {
		err = errors.Join(err, o.add(w, place, made))
	}
	if err := errors.Join(err, w.Close(), pack.Close()); err != nil {
		return nil, "", err
	}
	return b.Bytes(), "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// add writes a file or a folder, after its parent folders.
func (o options) add(w *tar.Writer, place string, made map[string]bool) error {
	if dir := path.Dir(place); !made[dir] {
		if err := o.add(w, dir, made); err != nil {
			return err
		}
	}
	if made[place] {
		return nil
	}
	made[place] = true
	h := tar.Header{Name: strings.TrimPrefix(place, "/"), ModTime: o.at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Mode: 0o644}
	if text, ok := texts[place]; ok {
		h.Size = int64(len(text))
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := io.WriteString(w, text)
		return err
	}
	name, ok := o.files[place]
	if !ok {
		h.Name, h.Typeflag, h.Mode = h.Name+"/", tar.TypeDir, 0o755
		if f, ok := folders[place]; ok {
			h.Mode, h.Uid, h.Gid = f.mode, f.owner, f.owner
		}
		return w.WriteHeader(&h)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "pack", Path: name, Err: errors.New("is not a file")}
	}
	if h.Size = info.Size(); info.Mode()&0o111 != 0 || strings.HasPrefix(path.Base(place), "ld-linux") {
		h.Mode = 0o755
	}
	if err := w.WriteHeader(&h); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

// descriptor names a blob of the archive.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

const media = "application/vnd.oci.image."

// archive writes the image in the layout of the OCI image specification 1.0.
func (o options) archive(out io.Writer, layer []byte, plain string) error {
	w := tar.NewWriter(out)
	blobs := map[string][]byte{}
	blob := func(kind string, content []byte) descriptor {
		digest := fmt.Sprintf("%x", sha256.Sum256(content))
		blobs["blobs/sha256/"+digest] = content
		return descriptor{MediaType: media + kind, Digest: "sha256:" + digest, Size: len(content)}
	}
	config, err := json.Marshal(o.config(plain))
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": media + "manifest.v1+json",
		"config": blob("config.v1+json", config), "layers": []descriptor{blob("layer.v1.tar+gzip", layer)}})
	if err != nil {
		return err
	}
	image := blob("manifest.v1+json", manifest)
	image.Platform = map[string]string{"os": "linux", "architecture": o.arch}
	image.Annotations = map[string]string{"org.opencontainers.image.ref.name": "mkt"}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": media + "index.v1+json", "manifests": []descriptor{image}})
	if err != nil {
		return err
	}
	blobs["index.json"], blobs["oci-layout"] = index, []byte(`{"imageLayoutVersion":"1.0.0"}`)
	for _, name := range slices.Sorted(maps.Keys(blobs)) {
		h := tar.Header{Name: name, Mode: 0o644, Size: int64(len(blobs[name])), ModTime: o.at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := w.Write(blobs[name]); err != nil {
			return err
		}
	}
	return w.Close()
}

// config is the configuration for running the image.
func (o options) config(plain string) map[string]any {
	at := o.at.Format(time.RFC3339)
	return map[string]any{
		"created": at, "os": "linux", "architecture": o.arch,
		"config": map[string]any{
			"User":         fmt.Sprintf("%d:%d", user, user),
			"Env":          []string{"PATH=/usr/bin", "MKT_DATA=/var/lib/mkt/data"},
			"Entrypoint":   []string{"/usr/bin/mkt"},
			"Cmd":          []string{"serve", "--listen", "0.0.0.0:8080", "--cache", "/tmp", "--log-format", "json"},
			"WorkingDir":   "/etc/mkt",
			"Volumes":      map[string]any{"/var/lib/mkt/data": struct{}{}},
			"ExposedPorts": map[string]any{"8080/tcp": struct{}{}},
			"StopSignal":   "SIGTERM",
			"Labels": map[string]string{
				"org.opencontainers.image.title":       "mkt",
				"org.opencontainers.image.description": "Football markets and live intelligence service",
				"org.opencontainers.image.licenses":    o.licence,
				"org.opencontainers.image.version":     o.version,
				"org.opencontainers.image.revision":    o.revision,
				"org.opencontainers.image.created":     at,
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{plain}},
		"history": []map[string]string{{"created": at, "created_by": "scripts/image"}},
	}
}
