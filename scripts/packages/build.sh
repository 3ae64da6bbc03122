#!/usr/bin/env bash
# Packs bin/mkt as deb, rpm and tar for this machine's platform, linux/amd64, into bin/packages,
# with a list of checksums. The same tree gives the same bytes: times are that of the commit.
# Another architecture needs a C++ cross compiler and DuckDB for it, which is not tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(go env GOOS)/$(go env GOARCH)" != linux/amd64 ]; then
	echo "packages: this machine is $(go env GOOS)/$(go env GOARCH); only linux/amd64 is packed" >&2
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
cp bin/mkt "$stage/mkt"
for unit in scripts/systemd/*.service scripts/systemd/*.timer; do
	sed 's|/usr/local/bin/mkt|/usr/bin/mkt|g' "$unit" >"$stage/units/${unit##*/}"
done
cp scripts/systemd/mkt.sysusers scripts/systemd/mkt.tmpfiles "$stage/"
(cd "$stage" && ./mkt man man)
gzip -9n "$stage"/man/*.1
(cd "$stage" && ./mkt completion bash >completion/mkt.bash && ./mkt completion zsh >completion/_mkt && ./mkt completion fish >completion/mkt.fish)
cp docs/*.md docs/*.yaml README.md SECURITY.md "$stage/doc/"
gzip -9nc CHANGELOG.md >"$stage/doc/changelog.gz"
cp -r deploy docs/images "$stage/doc/"
go run ./scripts/sbom texts >"$stage/doc/copyright"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
find "$stage" -type f ! -name mkt -exec chmod 644 {} +

for packager in deb rpm; do
	go run "$NFPM" package --config scripts/packages/nfpm.yaml --packager "$packager" --target "$out/"
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
	--transform "s|^\.|mkt-$PACKAGE_VERSION|" -C "$stage" -cf - . | gzip -9n >"$out/mkt-$PACKAGE_VERSION-linux-amd64.tar.gz"
rm -rf "$stage"
(cd "$out" && sha256sum ./*.deb ./*.rpm ./*.tar.gz | sed 's| \./| |' >SHA256SUMS && cat SHA256SUMS)
