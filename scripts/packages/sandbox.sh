#!/usr/bin/env bash
# Runs a command, in this folder, in a copy of this machine that is thrown away: an overlay of its
# file system, with processes and a network of its own. It needs root.
set -euo pipefail
if [ "${1-}" != --inside ]; then
	exec unshare --mount --net --pid --uts --fork --kill-child "$0" --inside "$PWD" "$@"
fi
folder=$2
shift 2
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
mount -t proc proc /mnt/root/proc
mount --rbind /dev /mnt/root/dev
mount -t tmpfs -o mode=1777 tmpfs /mnt/root/tmp
mount -t tmpfs -o mode=755 tmpfs /mnt/root/run
mkdir -p "/mnt/root$folder"
mount --bind "$folder" "/mnt/root$folder"
mount -o remount,ro,bind "/mnt/root$folder"
ip link set lo up
cd /mnt/root
pivot_root . mnt # and not chroot, after which no user namespace can be made
umount -l /mnt
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 bash -c 'cd "$0" && exec "$@"' "$folder" "$@"
