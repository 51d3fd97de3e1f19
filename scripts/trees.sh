# shellcheck shell=bash
# How commands run in a tree of Debian: in namespaces of their own, of which the rest of the system sees nothing.
# Sourced after common.sh, never run. Needs root.

# What in_tree mounts, and what PATH begins with there; set by the scripts that call it.
mounts=() tree_path=''

# prepare_tree TREE: lets the tree reach the mirror, and the addresses of Swift packages, as the host does.
prepare_tree() {
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    apt-config dump | grep -E '^Acquire::.*Proxy' >"$1/etc/apt/apt.conf.d/90host-proxy" || true
    if [ -r /etc/gitconfig ]; then cp /etc/gitconfig "$1/etc/gitconfig"; fi
    # And whom the host trusts on the way to Python's packages.
    if [ -r "${PIP_CERT:-}" ]; then cp "$PIP_CERT" "$1/etc/host-certificates.crt"; fi
}

# git_directories: prints the directories that the system-wide git configuration rewrites addresses to, because Swift packages
# may only be available through them.
git_directories() {
    local key directory
    [ -r /etc/gitconfig ] || return 0
    while read -r key _; do
        directory=${key#url.}
        directory=${directory%.insteadof}
        directory=${directory#file://}
        if [ -d "$directory" ]; then printf '%s\n' "${directory%/}"; fi
    done < <(git config --system --get-regexp '^url\..*\.insteadof$' || true)
}

# What lays out the tree around a command: in namespaces of mounts and processes of its own, so that whatever it mounts or
# the command leaves running ends with it. A line of tree_mounts is the mode, the source and the target, with tabs.
# shellcheck disable=SC2016 # a script in quotes
lay_out_tree='
    mount --make-rprivate /
    mount --bind "$tree" "$tree"
    mount -t proc proc "$tree/proc"
    mount -t sysfs -o ro sysfs "$tree/sys"
    # Debian mounts the control groups when it boots. Without them, Slurm of Debian 12 starts no node.
    if [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup "$tree/sys/fs/cgroup"; fi
    mount -t tmpfs -o mode=755 tmpfs "$tree/dev"
    for device in null zero full random urandom tty; do
        touch "$tree/dev/$device"
        mount --bind "/dev/$device" "$tree/dev/$device"
    done
    mkdir "$tree/dev/pts" "$tree/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$tree/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
    ln -s pts/ptmx "$tree/dev/ptmx"
    ln -s /proc/self/fd "$tree/dev/fd"
    ln -s fd/0 "$tree/dev/stdin"
    ln -s fd/1 "$tree/dev/stdout"
    ln -s fd/2 "$tree/dev/stderr"
    while IFS="	" read -r mode source target; do
        if [ -z "$mode" ]; then continue; fi
        mkdir -p "$tree$target"
        mount --bind "$source" "$tree$target"
        if [ "$mode" = ro ]; then mount -o remount,bind,ro "$tree$target"; fi
    done <<<"$tree_mounts"
    # The environment of a fresh login, and the way to the mirror
    environment=(
        HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM="${TERM:-dumb}"
        PATH="${tree_path:+$tree_path:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    )
    for name in http_proxy https_proxy no_proxy; do
        if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
    done
    if [ -e "$tree/etc/host-certificates.crt" ]; then environment+=(PIP_CERT=/etc/host-certificates.crt); fi
    # Programs after a chroot cannot create user namespaces, which some tests need (user_namespaces(7)).
    cd "$tree"
    pivot_root . .
    umount --lazy .
    exec env -i "${environment[@]}" "$@"'

# in_tree TREE COMMAND…: runs a command there, with nothing of the host but the directories in the array `mounts`, whose
# elements are "ro SOURCE TARGET" or "rw SOURCE TARGET", with tabs between the words, an outer directory before one in it.
# `tree_path` is what PATH begins with.
in_tree() {
    local tree=$1 tree_mounts
    shift
    tree_mounts=$(printf '%s\n' ${mounts[@]+"${mounts[@]}"})
    tree=$tree tree_mounts=$tree_mounts tree_path=$tree_path \
        unshare --mount --pid --fork --kill-child bash -euo pipefail -c "$lay_out_tree" "${speaker:?}" "$@" </dev/null
}
