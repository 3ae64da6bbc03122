#!/bin/sh
# Stops the services when the package is removed (not when it is upgraded). Accounts, keys and
# data stay.
set -e
case "$1" in remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl --no-reload disable --now mkt-serve.service mkt-schedule.service 'mkt-cycle@*.timer' || true
	fi ;;
esac
