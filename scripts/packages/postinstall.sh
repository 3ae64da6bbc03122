#!/bin/sh
# Creates the users and folders. It starts nothing: mkt needs its accounts and keys first.
set -e
if command -v systemd-sysusers >/dev/null; then systemd-sysusers mkt.conf; fi
if command -v systemd-tmpfiles >/dev/null; then systemd-tmpfiles --create mkt.conf; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
if [ -e /etc/mkt/mkt.yaml ]; then
	echo 'mkt is upgraded. Restart what runs: systemctl try-restart mkt-serve mkt-schedule'
else
	echo 'mkt is installed. Next, as root: runuser -u mkt -- mkt init /etc/mkt'
	echo 'See /usr/share/doc/mkt/docs/operators.md, "Install".'
fi
