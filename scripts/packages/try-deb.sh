#!/usr/bin/env bash
# Installs the deb as root, uses it, and upgrades, removes and purges it. Run it in sandbox.sh.
set -euo pipefail
fail() { echo "FAILED: $*" >&2; exit 1; }
step() { echo "== $*"; }
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
deb=$(echo bin/release/*amd64.deb)
become() { local user=$1; shift; exec runuser -u "$user" -- env -i -C / PATH=/usr/bin:/bin HOME=/tmp MKT_CONFIG=/etc/mkt/mkt.yaml MKT_ACTOR=check "$@"; }
as() { (become "$@"); }
owns() { local is; is=$(stat -c '%a %U:%G' "$1"); [ "$is" = "$2" ] || fail "$1 is $is, and not $2"; }
# kept is a digest of what belongs to the user: accounts, keys and data.
kept() { find /etc/mkt /var/lib/mkt -type f -not -name lock -exec sha256sum {} + | sort | sha256sum; }

! getent passwd mkt >/dev/null || fail 'this machine has a user mkt already'
step install
dpkg --path-include='/usr/share/*' -i "$deb"
getent passwd mkt mkt-serve >/dev/null || fail 'the users were not made'
id -nG mkt-serve | grep -qw mkt || fail 'mkt-serve is not in the group mkt'
owns /etc/mkt '750 mkt:mkt'
owns /var/lib/mkt '750 mkt:mkt'
owns /var/lib/mkt/data '750 mkt:mkt'
owns /var/lib/mkt/data/usage '2750 mkt-serve:mkt'
[ "$(dpkg -V mkt)" = '' ] || fail "$(dpkg -V mkt)"
mkt --version

step 'the sums, and the tar'
(cd bin/release && sha256sum --check --quiet SHA256SUMS)
tar -xzf bin/release/*amd64.tar.gz -C /tmp
cmp /tmp/mkt-*/mkt /usr/bin/mkt
case $(dpkg-query -W -f '${Version}' mkt) in "$(mkt --version | cut -d' ' -f2)"*) ;; *) fail 'the package has another version' ;; esac

step units, man pages, completions
if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify /usr/lib/systemd/system/mkt-serve.service /usr/lib/systemd/system/mkt-schedule.service \
		/usr/lib/systemd/system/mkt-cycle@.service /usr/lib/systemd/system/mkt-cycle@.timer
else echo 'skipped: systemd-analyze is not there'; fi
for page in mkt mkt-tail mkt-provider-set; do
	gzip -t "/usr/share/man/man1/$page.1.gz"
	if command -v man >/dev/null; then MANPAGER=cat man "$page" 2>&1 | grep -q SYNOPSIS || fail "man $page"; fi
done
bash -c 'source /usr/share/bash-completion/completions/mkt && complete -p mkt' | grep -q __start_mkt || fail 'completion of bash'
if command -v zsh >/dev/null; then
	zsh -fc 'fpath=(/usr/share/zsh/vendor-completions $fpath); autoload -U compinit && compinit -D && [[ ${_comps[mkt]} = _mkt ]] && autoload +X _mkt' || fail 'completion of zsh'
else echo 'skipped: zsh is not there'; fi
if command -v fish >/dev/null; then fish -c 'complete -C "mkt prov"' | grep -q provider || fail 'completion of fish'
else echo 'skipped: fish is not there'; fi

step 'a cycle as mkt, and the API as mkt-serve'
as mkt mkt init /etc/mkt
sed -i 's|^data: data|data: /var/lib/mkt/data|' /etc/mkt/mkt.yaml
become mkt mkt simulate --listen 127.0.0.1:9090 --fixtures 12 >/tmp/simulate.log &
token=$(as mkt mkt tenant add acme --product market_engine --output json | grep -o 'mkt_[A-Za-z0-9]*')
for _ in $(seq 100); do grep -q token /tmp/simulate.log && break || sleep 0.1; done
grep -o '[0-9]*-[0-9a-f]\{12,\}' /tmp/simulate.log | head -1 | tr -d '\n' |
	as mkt mkt provider set acme --provider betsapi --base-url http://127.0.0.1:9090 --allow-private-address
as mkt mkt cycle --tenant acme
become mkt-serve mkt serve --listen 127.0.0.1:8080 --cache /tmp --admin 127.0.0.1:9081 --log-level error >/tmp/serve.log &
for _ in $(seq 100); do [ "$(curl -s -o /tmp/ready -w '%{http_code}' http://127.0.0.1:9081/readyz)" = 200 ] && break || sleep 0.1; done
curl -s -H "Authorization: Bearer $token" 'http://127.0.0.1:8080/api/v1/fixtures?limit=1' | grep -q '"fixture_id":"fx_' || fail 'the API has no fixture'
as mkt-serve cat /etc/mkt/seal.key 2>/dev/null && fail 'mkt-serve can read a key'
as mkt mkt doctor
as mkt mkt verify
kill $(jobs -p); wait || true

step 'upgrade, removal, purge'
before=$(kept)
dpkg-deb -R "$deb" /tmp/newer
sed -i 's/^Version: .*/&.1/' /tmp/newer/DEBIAN/control
rm -f /tmp/newer/DEBIAN/conffiles # nfpm writes an empty one, which dpkg-deb does not build again
dpkg-deb -Zgzip -z1 -b /tmp/newer /tmp/newer.deb >/dev/null
dpkg --path-include='/usr/share/*' -i /tmp/newer.deb
as mkt mkt verify >/dev/null
[ "$(kept)" = "$before" ] || fail 'the upgrade changed accounts, keys or data'
dpkg -L mkt >/tmp/files
dpkg -r mkt
[ "$(kept)" = "$before" ] || fail 'the removal changed accounts, keys or data'
dpkg -P mkt
[ "$(kept)" = "$before" ] || fail 'the purge changed accounts, keys or data'
while read -r file; do [ -d "$file" ] || [ ! -e "$file" ] || fail "the purge left $file"; done </tmp/files
[ -z "$(ls -d /usr/share/doc/mkt /usr/lib/sysusers.d/mkt.conf 2>/dev/null)" ] || fail 'the purge left a folder'
owns /etc/mkt '750 mkt:mkt'
echo 'deb: installed, used, upgraded, removed'
