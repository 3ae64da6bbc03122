#!/bin/sh
# Makes the users and folders. It starts nothing: mkt needs its accounts and keys first.
set -e
if command -v systemd-sysusers >/dev/null; then systemd-sysusers mkt.conf; fi
if command -v systemd-tmpfiles >/dev/null; then systemd-tmpfiles --create mkt.conf; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
echo 'mkt is installed. Next: sudo -u mkt mkt init /etc/mkt; see /usr/share/doc/mkt/operators.md'
