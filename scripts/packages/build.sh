#!/usr/bin/env bash
# Packs mkt as deb, rpm and tar into bin/packages, with a list of checksums: bin/mkt for linux/amd64,
# and bin/linux-arm64/mkt, which make arm64 cross-compiles, if it is there. The same tree gives the
# same bytes: times are that of the commit.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(go env GOOS)/$(go env GOARCH)" != linux/amd64 ]; then
	echo "packages: this machine is $(go env GOOS)/$(go env GOARCH); packages are built on linux/amd64" >&2
	exit 1
fi
NFPM=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export PACKAGE_VERSION
# A package's version begins with a digit; a commit without a tag is before every release.
case $version in
v[0-9]*) PACKAGE_VERSION=${version#v} ;;
*) PACKAGE_VERSION=0.0.0+$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$version ;;
esac
PACKAGE_VERSION=${PACKAGE_VERSION//-/.}

out=bin/packages
stage=bin/packages.stage
export STAGE=$stage
rm -rf "$out" "$stage"
mkdir -p "$out" "$stage"/{units,man,completion,doc}
umask 022
for unit in scripts/systemd/*.service scripts/systemd/*.timer; do
	sed 's|/usr/local/bin/mkt|/usr/bin/mkt|g' "$unit" >"$stage/units/${unit##*/}"
done
cp scripts/systemd/mkt.sysusers scripts/systemd/mkt.tmpfiles "$stage/"
TZ=UTC go run ./cmd/mkt/internal/cli/manpages "$version" "$stage/man"
gzip -9n "$stage"/man/*.1
bin/mkt completion bash >"$stage/completion/mkt.bash"
bin/mkt completion zsh >"$stage/completion/_mkt"
bin/mkt completion fish >"$stage/completion/mkt.fish"
cp docs/*.md docs/*.yaml README.md SECURITY.md "$stage/doc/"
gzip -9nc CHANGELOG.md >"$stage/doc/changelog.gz"
cp -r deploy docs/images "$stage/doc/"
go run ./scripts/licences texts >"$stage/doc/copyright"

# pack packs a binary for an architecture.
pack() {
	export ARCH=$1
	cp "$2" "$stage/mkt"
	chmod 755 "$stage/mkt"
	find "$stage" -type f ! -name mkt -exec chmod 644 {} +
	find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	for packager in deb rpm; do
		go run "$NFPM" package --config scripts/packages/nfpm.yaml --packager "$packager" --target "$out/"
	done
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
		--transform "s|^\.|mkt-$PACKAGE_VERSION|" -C "$stage" -cf - . | gzip -9n >"$out/mkt-$PACKAGE_VERSION-linux-$ARCH.tar.gz"
}

pack amd64 bin/mkt
if [ -x bin/linux-arm64/mkt ]; then
	pack arm64 bin/linux-arm64/mkt
else
	echo "packages: bin/linux-arm64/mkt is not there (make arm64 builds it): nothing is packed for linux/arm64" >&2
fi
rm -rf "$stage"
(cd "$out" && sha256sum ./*.deb ./*.rpm ./*.tar.gz | sed 's| \./| |' >SHA256SUMS && cat SHA256SUMS)
