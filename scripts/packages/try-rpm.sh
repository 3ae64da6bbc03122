#!/usr/bin/env bash
# Unpacks the rpm into a root folder with rpm's own database, without its scripts, and compares its
# files with those of the deb. Run it in sandbox.sh.
set -euo pipefail
fail() { echo "FAILED: $*" >&2; exit 1; }
rpm=$(echo bin/release/*x86_64.rpm)
deb=$(echo bin/release/*amd64.deb)
rpm -qp --scripts "$rpm" >/tmp/scripts
for word in 'postinstall scriptlet' 'preuninstall scriptlet' 'systemd-sysusers mkt.conf' 'systemd-tmpfiles --create mkt.conf'; do
	grep -q -- "$word" /tmp/scripts || fail "the scripts lack: $word"
done
rpm -qp --requires "$rpm"
rpm -qp --qf '%{LICENSE}\n' "$rpm" | grep -qxF "$(sed -n 's/^SPDX-License-Identifier: //p' LICENSE)" || fail 'the package has another licence'
mkdir /tmp/root
rpm --root /tmp/root --dbpath /var/lib/rpm --initdb
rpm --root /tmp/root --dbpath /var/lib/rpm --nodeps --noscripts --ignoreos -i "$rpm"
rpm --root /tmp/root --dbpath /var/lib/rpm -V --nodeps --noscripts mkt
# Only the folder of zsh's completions differs.
rpm -qp --list "$rpm" | sed 's|/zsh/site-functions|/zsh/vendor-completions|' | while read -r f; do [ -d "/tmp/root$f" ] || echo "$f"; done | sort >/tmp/of-rpm
dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's|^\.||' | sort >/tmp/of-deb
diff /tmp/of-deb /tmp/of-rpm || fail 'deb and rpm have other files'
/tmp/root/usr/bin/mkt --version
rpm --root /tmp/root --dbpath /var/lib/rpm --noscripts -e mkt
[ ! -e /tmp/root/usr/bin/mkt ] || fail 'the removal left the binary'
echo 'rpm: unpacked, verified, removed'
