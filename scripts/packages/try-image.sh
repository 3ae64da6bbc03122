#!/usr/bin/env bash
# Unpacks the image of an architecture with umoci and runs mkt demo in it: amd64 as the user of the
# image, arm64 under emulation, as root of a user namespace. Run it in sandbox.sh.
set -euo pipefail
fail() { echo "FAILED: $*" >&2; exit 1; }
arch=$1
mkdir /tmp/oci
tar -xf bin/release/mkt-*-"$arch".oci.tar -C /tmp/oci
umoci stat --image /tmp/oci:mkt
grep -rqF "\"org.opencontainers.image.licenses\":\"$(sed -n 's/^SPDX-License-Identifier: //p' LICENSE)\"" /tmp/oci/blobs || fail 'the image has another licence'
umoci unpack --image /tmp/oci:mkt /tmp/bundle
root=/tmp/bundle/rootfs
grep -q '"uid": 65532' /tmp/bundle/config.json || fail 'the image does not name its user'
mkdir -p "$root/proc" "$root/dev"
mount --rbind /dev "$root/dev"
cat >/tmp/emulate <<'END'
set -e
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
echo ':aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:F' >/proc/sys/fs/binfmt_misc/register
mount --rbind /proc "$1/proc"
exec chroot "$@"
END
mkt() {
	if [ "$arch" = arm64 ]; then unshare --user --map-root-user --mount --fork --kill-child bash /tmp/emulate "$root" /usr/bin/mkt "$@"
	else chroot --userspec=65532:65532 "$root" /usr/bin/mkt "$@"; fi
}
if [ "$arch" != arm64 ]; then mount -t proc proc "$root/proc"; fi
mkt --version | grep "linux/$arch"
mkt demo --listen 127.0.0.1:8180 --console 127.0.0.1:8190 --past 3m --fixtures 12 --in-play 4 --output json >/tmp/demo.json 2>/tmp/demo.log &
trap 'kill $! 2>/dev/null || true' EXIT
for _ in $(seq 240); do grep -q '"event":"ready"' /tmp/demo.json && break || { kill -0 $! || fail "$(cat /tmp/demo.log)"; sleep 0.5; }; done
grep -q '"event":"ready"' /tmp/demo.json || fail "the demo is not ready: $(cat /tmp/demo.log)"
token=$(grep '"event":"ready"' /tmp/demo.json | grep -o '"client_id":"main","token":"[^"]*' | grep -o 'mkt_.*')
for route in fixtures live; do
	curl -s -H "Authorization: Bearer $token" "http://127.0.0.1:8180/api/v1/$route?limit=1" | tee /tmp/answer | grep -q '"fixture_id":"fx_' || fail "$route: $(cat /tmp/answer)"
done
curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8190/ | grep -q 200 || fail 'the console does not answer'
echo "image of $arch: unpacked, and mkt demo served from it"
