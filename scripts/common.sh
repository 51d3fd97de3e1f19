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

# oldest_swift: prints the oldest version of Swift that Package.swift accepts.
oldest_swift() { sed -n '1s/^.*swift-tools-version: *//p' "$project/Package.swift"; }

# is_swift_new_enough VERSION: whether Package.swift accepts that Swift. Debian's revision (6.2.3-1) is no part of it.
is_swift_new_enough() { [[ $1 == [0-9]* ]] && printf '%s\n' "$(oldest_swift)" "${1%%-*}" | sort --version-sort --check=quiet; }

# swift_version PROGRAM: prints the version of a Swift; nothing if it does not run, which is no failure.
swift_version() { "$1" --version 2>/dev/null | sed -n 's/^.*Swift version \([0-9.]*\).*$/\1/p' || true; }

# find_swift: puts a Swift toolchain that is new enough on PATH; fails if there is none. Debian's has only some of its
# programs in /usr/bin, and `swift` only if no other package has a program of that name.
find_swift() {
    local candidate debian=/usr/libexec/swift/bin
    if is_swift_new_enough "$(swift_version swift)"; then
        if [ "$(command -v swift)" = /usr/bin/swift ] && [ -x "$debian/swift" ]; then export PATH="$debian:$PATH"; fi
        return
    fi
    for candidate in /opt/swift/usr/bin /usr/local/swift/usr/bin "$HOME/swift/usr/bin" "$HOME/.local/share/swiftly/bin" "$debian"; do
        if is_swift_new_enough "$(swift_version "$candidate/swift")"; then
            export PATH="$candidate:$PATH"
            return
        fi
    done
    return 1
}

# Puts a Swift toolchain on PATH, or says how to get one.
require_swift() { find_swift || die 69 "$(swift_advice)"; }

# swift_advice: prints one line that says how to get a Swift. swift.org's toolchain for Debian 12 runs on 13 too.
swift_advice() {
    local found
    found=$(swift_version swift)
    if [ -n "$found" ]; then found="Swift $found is too old"; else found="no Swift found"; fi
    printf '%s\n' "$found; unpack swift.org's toolchain for Debian 12 ($(oldest_swift) or later) to /opt/swift (docs/guide/installing.md#swift)"
}

# toolchain_root: prints the directory of the Swift on PATH, with bin and lib in it: such as /opt/swift/usr, or
# /usr/libexec/swift for Debian's.
toolchain_root() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/^ *"runtimeResourcePath": "\(.*\)\/lib\/swift".*$/\1/p')
    [ -n "$resources" ] || die 69 "swift -print-target-info does not show where the toolchain is"
    readlink -f "$resources"
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

# Where Debian's packages come from for a tree that is made here: where the host's do.
debian_sources() {
    local sources
    for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        if [ -s "$sources" ]; then
            printf '%s\n' "$sources"
            return
        fi
    done
    die 69 "no apt sources for Debian in /etc/apt/sources.list or sources.list.d/debian.sources"
}

# os_release NAME: prints a fact about this system, e.g. of VERSION_CODENAME; nothing if it is unknown.
# shellcheck disable=SC1091 # not a part of the project
os_release() { (. /etc/os-release && printf '%s' "${!1:-}"); }

# release_sources RELEASE DIRECTORY: prints the path of a file with the host's sources, but of that Debian release, in
# DIRECTORY. Those of Debian 12 and 13 have the same suites under other names; unstable (sid) has one suite.
release_sources() {
    local sources file
    sources=$(debian_sources) || return
    file=$2/$1.${sources##*.}
    sed -E "s/\\b(bookworm|trixie|sid|unstable)\\b/$1/g" "$sources" |
        if [ "$1" = sid ]; then
            # A line of sources.list has one suite; a paragraph of debian.sources may have several.
            sed -E '/^deb.* sid-/d; /^Suites:/s/ sid-[a-z-]+//g' | awk 'BEGIN { RS = ""; ORS = "\n\n" } !/(^|\n)Suites: *(\n|$)/'
        else
            cat
        fi >"$file"
    printf '%s\n' "$file"
}

# check_installation RELEASE RECORDER PAGE HOOK [HOOK]: installs both packages in a fresh tree of that Debian release, records,
# removes, purges and installs them again (Tests/Package/in-tree says what must hold). RECORDER and PAGE are what apt-get
# installs there as recorder and recorder-web: names, or paths of .deb files. The first hook of mmdebstrap brings them into the
# tree, the second runs while they are installed. The tree is deleted afterwards. A hook is a line of shell in which "$1" is
# the tree. Needs root and the group `tree` of scripts/setup.
check_installation() {
    local release=$1 recorder=$2 page=$3 place sources status=0
    place=$(mktemp -d)
    sources=$(release_sources "$release" "$place") || return
    apt-config dump | grep -E '^Acquire::.*Proxy' >"$place/proxy" || true
    # What a Debian cannot do without, and nothing else.
    mmdebstrap --quiet --variant=minbase --mode=root --format=null --aptopt='Acquire::Check-Valid-Until "false"' \
        --customize-hook="copy-in /etc/resolv.conf /etc/" \
        --customize-hook="upload $(printf %q "$place/proxy") /etc/apt/apt.conf.d/90host-proxy" \
        --customize-hook="upload $(printf %q "$project/Tests/Package/in-tree") /tmp/in-tree" \
        --customize-hook="$4" \
        --customize-hook="chroot \"\$1\" sh /tmp/in-tree $(printf %q "$recorder") $(printf %q "$page")" \
        ${5:+--customize-hook="$5"} \
        "$release" - "$sources" || status=$?
    rm -rf "$place"
    return "$status"
}

# dummy_package FILE VERSION [TEXT [ARCHITECTURE [NAME]]]: a package for the self-tests, with a text and a list of components.
dummy_package() {
    local tree directory name=${5:-recorder}
    tree=$(mktemp -d)
    directory=$tree/usr/share/doc/$name
    mkdir -p "$tree/DEBIAN" "$directory" "$(dirname "$1")"
    chmod 755 "$tree"
    printf '%s\n' "${3:-$2}" >"$directory/text"
    printf '{ "name": "%s-%s" }\n' "$name" "${2%%+*}" >"$directory/$name.spdx.json"
    printf '%s\n' "Package: $name" "Version: $2" "Architecture: ${4:-amd64}" "Maintainer: Test <test@example.org>" \
        "Description: dummy" >"$tree/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$tree" "$1" >/dev/null
    rm -r "$tree"
}

# temporary_key NAME: makes a key without a password in GNUPGHOME, for the self-tests, and prints its fingerprint.
temporary_key() {
    gpg --quiet --batch --no-auto-check-trustdb --passphrase '' --quick-generate-key "$1 <$1@example.org>" ed25519 sign 1d 2>/dev/null
    gpg --batch --no-auto-check-trustdb --with-colons --list-secret-keys "$1" 2>/dev/null |
        awk -F: '$1 == "fpr" { print $10; exit }'
}

# select_sdk ARCHITECTURE: sets `sdk` to the options of `swift build` for Debian 13 on that architecture, `sysroot` to its tree,
# `tool_prefix` to what the names of its binutils begin with, and PKG_CONFIG_… to its libraries. Only in the compiler tree of
# scripts/cross, where the Swift SDK is at /sdk.
select_sdk() {
    local triplet
    case $1 in
        arm64) triplet=aarch64-linux-gnu ;;
        amd64) triplet=x86_64-linux-gnu ;;
        *) die 64 "unknown architecture \"$1\"; use amd64 or arm64" ;;
    esac
    sysroot=/sdk/debian13.artifactbundle/$1/sysroot
    tool_prefix=$triplet-
    [ -d "$sysroot" ] || die 69 "no Swift SDK in /sdk; this runs in the tree of scripts/cross"
    sdk=(--swift-sdks-path /sdk --swift-sdk "debian13-$1")
    export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
    # Swift looks for the files itself, in these places alone.
    export PKG_CONFIG_PATH=$PKG_CONFIG_LIBDIR
}

# build_to_install [ARCHITECTURE]: builds recorder and recorder-web as they are installed, with Swift's own libraries inside, and prints the path of the first. In a
# place of its own, since other flags would make every other build begin again. The same source, toolchain and system give
# the same bytes wherever and whenever (docs/design/decisions/package.md; scripts/reproduce proves it), and no more of them
# than it needs (docs/design/decisions/size.md). RECORDER_JOBS in the environment is how much it does at a time; default: as much
# as there are processors. ARCHITECTURE: for Debian 13 on another one, as select_sdk does it; default: for this system.
build_to_install() {
    local place=$project/.build-package${1:+-$1} toolchain map scratch steady=(setarch --addr-no-randomize) padding
    local sdk=() sysroot='' tool_prefix=''
    toolchain=$(toolchain_root) || return
    if [ -n "${1:-}" ]; then select_sdk "$1"; fi
    # Of a path that the compiler maps to another it may still write down the length, so packages are at one that is of
    # the same length everywhere.
    printf -v padding '%*s' $((160 - ${#place} - 1)) _
    scratch=$place/${padding// /_}
    mkdir -p "$scratch/temporary"
    # For the list of components, which may be made where no compiler is.
    swift_version swift >"$scratch/swift-version"
    local languages=$scratch/language-data.o symbol static=${sysroot:-$toolchain}${sysroot:+/usr}/lib/swift_static/linux
    symbol=$("$project/scripts/language-data" "$static/lib_FoundationICU.a" "$languages" ${tool_prefix:+"$tool_prefix"}) ||
        die 70 "cannot create the language data; see above"
    local build=(swift build --package-path "$project" --scratch-path "$scratch" --configuration release
        ${sdk[@]+"${sdk[@]}"} --static-swift-stdlib
        -debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
        -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -internalize-at-link
        -Xcc -ffunction-sections -Xcc -fdata-sections -Xcxx -ffunction-sections -Xcxx -fdata-sections
        -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker now
        -Xlinker -z -Xlinker pack-relative-relocs -Xlinker "$languages"
        -Xlinker "--defsym=$symbol=recorder_language_data")
    for map in "$project/Sources=./Sources" "$scratch=./build" "$toolchain=/swift" ${sysroot:+"$sysroot=/sysroot"}; do
        build+=(-Xswiftc -file-prefix-map -Xswiftc "$map" -Xcc "-ffile-prefix-map=$map" -Xcxx "-ffile-prefix-map=$map")
    done
    if [ -n "${RECORDER_JOBS:-}" ]; then build+=(--jobs "$RECORDER_JOBS"); fi
    # Where a container forbids it, the same bytes are likely all the same.
    "${steady[@]}" true 2>/dev/null || steady=()
    local product
    for product in recorder recorder-web; do
        logged "building $product to install (some minutes the first time)" \
            env TMPDIR="$scratch/temporary" ${steady[@]+"${steady[@]}"} "${build[@]}" --product "$product" ||
            die 70 "the build failed; its errors are above"
    done
    ln -sfn "${scratch##*/}/release" "$place/release"
    printf '%s\n' "$place/release/recorder"
}
