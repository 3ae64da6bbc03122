#!/usr/bin/env bash
# Builds mkt and writes all that is needed to distribute it into bin/release: for this architecture,
# and for linux/arm64 where the cross compiler is, a tar, a deb, an rpm, an image for containers (OCI)
# and the list of what is linked (CycloneDX); the texts of the licences, and SHA256SUMS. No container
# engine is needed. The same commit on the same machine gives the same bytes in every folder.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release: $*" >&2; exit 1; }
[ "$(go env GOOS)" = linux ] || fail "this machine is $(go env GOOS); it is made on linux"
NFPM=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
CYCLONEDX=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
release=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' cmd/mkt/internal/cli/version.go)
version=$(scripts/packages/version.sh "$release")
licence=$(sed -n 's/^SPDX-License-Identifier: //p' LICENSE)
revision=$(git rev-parse HEAD)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} PACKAGE_VERSION=$version STAGE=bin/stage ARCH LIBC
export TZ=UTC LC_ALL=C
umask 022
make --no-print-directory build arm64

out=bin/release
rm -rf "$out" "$STAGE"
mkdir -p "$out" "$STAGE"/{units,man,completion,doc}
bin/mkt --version | grep -q "^mkt $release (commit ${revision:0:12}" || fail "the binary says $(bin/mkt --version)"
for unit in scripts/systemd/*.service scripts/systemd/*.timer; do
	sed 's|/usr/local/bin/mkt|/usr/bin/mkt|g' "$unit" >"$STAGE/units/${unit##*/}"
done
cp scripts/systemd/mkt.sysusers scripts/systemd/mkt.tmpfiles "$STAGE/"
go run ./cmd/mkt/internal/cli/manpages "$release" "$STAGE/man"
gzip -9n "$STAGE"/man/*.1
bin/mkt completion bash >"$STAGE/completion/mkt.bash"
bin/mkt completion zsh >"$STAGE/completion/_mkt"
bin/mkt completion fish >"$STAGE/completion/mkt.fish"
xargs -a scripts/packages/documents git ls-files -z -- ':!docs/*.go' | xargs -0 cp --parents -t "$STAGE/doc"
{ cat LICENSE; go run ./scripts/licences texts; } >"$STAGE/doc/copyright"
cp "$STAGE/doc/copyright" "$out/licences.txt"

# pack ARCH BINARY SUFFIX LIBS...: LIBS are the folders of the C library, SUFFIX is that of its package.
pack() {
	ARCH=$1
	local name=$out/mkt-$version-linux-$1 binary=$2 suffix=$3 args=()
	shift 3
	cp "$binary" "$STAGE/mkt"
	find "$STAGE" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
	chmod 755 "$STAGE/mkt"
	find "$STAGE" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	readelf -d "$binary" | grep -E 'NEEDED.*(libstdc|libgcc)' && fail "$binary needs shared libraries other than the C library's"
	LIBC=$(readelf -V "$binary" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1 | cut -d_ -f2)
	for packager in deb rpm; do
		go run "$NFPM" package --config scripts/packages/nfpm.yaml --packager "$packager" --target "$out/"
	done
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
		--transform "s|^\.|mkt-$version|" -C "$STAGE" -cf - . | gzip -9n >"$name.tar.gz"
	for dir in "$@"; do args+=(-libs "$dir"); done
	if [ -f "/usr/share/doc/libc6$suffix/copyright" ]; then args+=(-file "/usr/share/doc/libc6/copyright=/usr/share/doc/libc6$suffix/copyright"); fi
	go run ./scripts/image -arch "$ARCH" -version "$version" -revision "$revision" -licence "$licence" \
		-time "$SOURCE_DATE_EPOCH" "${args[@]}" \
		-file /usr/share/doc/mkt/copyright="$out/licences.txt" \
		-file /etc/ssl/certs/ca-certificates.crt=/etc/ssl/certs/ca-certificates.crt \
		-out "$name.oci.tar" "$binary"
	# The tool writes the time and leaves out the licence of mkt itself.
	go run "$CYCLONEDX" bin -json -std -noserial -version "$version" "$binary" | sed -e '/"timestamp":/d' \
		-e "0,/\"purl\": \"pkg:golang\/mkt@/s/^\( *\)\"purl\": \"pkg:golang\/mkt@/\1\"licenses\": [{\"expression\": \"$licence\"}],\n&/" >"$name.cdx.json"
	grep -q "\"expression\": \"$licence\"" "$name.cdx.json" || fail "$name.cdx.json does not have the licence"
}

native=$(go env GOARCH)
pack "$native" bin/mkt '' "/lib/$(uname -m)-linux-gnu" "/usr/lib/$(uname -m)-linux-gnu" /lib64 /usr/lib64
if [ "$native" != arm64 ] && [ -x bin/linux-arm64/mkt ]; then
	pack arm64 bin/linux-arm64/mkt -arm64-cross /usr/aarch64-linux-gnu/lib
fi
rm -rf "$STAGE"
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
[ "$native" = arm64 ] || [ -x bin/linux-arm64/mkt ] || echo "release: WITHOUT linux/arm64: aarch64-linux-gnu-g++ is not there (Debian's package g++-aarch64-linux-gnu)"
case $version in *[~+]*) echo "release: $version is NOT A RELEASE: the commit has no tag v$release" ;; esac
echo "release: $out is not signed; its owner signs it so: cd $out && gpg --detach-sign --armor SHA256SUMS   (or: minisign -Sm SHA256SUMS)"
