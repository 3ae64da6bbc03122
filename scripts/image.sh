#!/usr/bin/env bash
# Writes an image for containers from bin/mkt, and from bin/linux-arm64/mkt if make arm64 built it:
# bin/mkt-VERSION-ARCH.oci.tar. It has the binary, the shared libraries of this machine that the
# binary needs, the certificates of this machine, and no shell. No container engine, base image or
# network is needed. The same tree on the same machine gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
rm -f bin/*.oci.tar
mkdir -p bin
go run ./scripts/licences texts >bin/licences.txt

# image ARCH BINARY SUFFIX LIBS...: SUFFIX is that of the packages of the libraries.
image() {
	local arch=$1 binary=$2 suffix=$3 args=()
	shift 3
	for dir in "$@"; do args+=(-libs "$dir"); done
	for package in libc6 libstdc++6 libgcc-s1; do
		for file in "/usr/share/doc/$package$suffix/copyright"; do
			if [ -f "$file" ]; then args+=(-file "/usr/share/doc/$package/copyright=$file"); fi
		done
	done
	go run ./scripts/image -arch "$arch" -version "$version" -revision "$(git rev-parse HEAD)" \
		-time "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" "${args[@]}" \
		-file /usr/share/doc/mkt/copyright=bin/licences.txt \
		-file /etc/ssl/certs/ca-certificates.crt=/etc/ssl/certs/ca-certificates.crt \
		-out "bin/mkt-$version-$arch.oci.tar" "$binary"
	sha256sum "bin/mkt-$version-$arch.oci.tar"
}

native=$(go env GOARCH)
image "$native" bin/mkt '' "/lib/$(uname -m)-linux-gnu" "/usr/lib/$(uname -m)-linux-gnu" /lib64 /usr/lib64
if [ "$native" != arm64 ] && [ -x bin/linux-arm64/mkt ]; then
	image arm64 bin/linux-arm64/mkt -arm64-cross /usr/aarch64-linux-gnu/lib
fi
