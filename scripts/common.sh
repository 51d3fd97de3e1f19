# shellcheck shell=bash
# What the project's scripts share: where the project is, how they speak, where Swift is, the lab's cache.
# Sourced, never run. Exit codes are those of sysexits, as for `recorder` itself.

# shellcheck disable=SC2034 # used where this is sourced
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# The parts of the device lab speak as the command that people type.
speaker=${0##*/}
case $0 in */DeviceLab/*) speaker=device-lab ;; esac

# Diagnostics go to standard error: standard output belongs to the command a script runs.
say() { printf '%s: %s\n' "$speaker" "$*" >&2; }

# die STATUS WORDS…
die() {
    local status=$1
    shift
    say "$*"
    exit "$status"
}

# A script's help is the comment at its head.
usage() { sed -n '2,${/^#/!q;/^# shellcheck/q;s/^# \{0,1\}//;p}' "$0"; }

# Puts a Swift toolchain on PATH, or says how to get one.
require_swift() {
    if command -v swift >/dev/null; then return; fi
    local candidate
    for candidate in /opt/swift/usr/bin /usr/local/swift/usr/bin "$HOME/swift/usr/bin" "$HOME/.local/share/swiftly/bin"; do
        if [ -x "$candidate/swift" ]; then
            export PATH="$candidate:$PATH"
            return
        fi
    done
    die 69 "no Swift here; unpack a toolchain (6.2 or later, swift.org/install) and put its usr/bin on PATH"
}

# logged WHAT COMMAND…: runs a command that is long and only interesting when it fails. On a terminal its progress
# shows as it comes; elsewhere it goes to a log, which is printed if the command fails. A function given here must
# join its commands with &&: bash's -e does not hold inside it.
logged() {
    local what=$1
    shift
    say "$what"
    if [ -t 2 ]; then
        "$@" >&2
        return
    fi
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then cat "$log" >&2; fi
    rm -f "$log"
    return "$status"
}

# Where the device lab keeps its kernel, its modules and its root tree.
lab_cache() { printf '%s\n' "${RECORDER_DEVICE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/recorder/device-lab}"; }

# build_to_install: builds the recorder as it is installed, with Swift's own libraries inside, and prints its path. In a
# place of its own, since other flags would make every other build begin anew.
build_to_install() {
    local build=(swift build --package-path "$project" --scratch-path "$project/.build-package" --configuration release
        --static-swift-stdlib --product recorder)
    logged "building the recorder to install (some minutes the first time)" "${build[@]}" ||
        die 70 "the build failed; its errors are above"
    printf '%s\n' "$("${build[@]}" --show-bin-path)/recorder"
}
