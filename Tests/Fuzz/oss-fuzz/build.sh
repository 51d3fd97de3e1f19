#!/bin/bash -eu
# Builds the fuzzers with their corpora, dictionaries and options into $OUT, as OSS-Fuzz asks for them
# (google.github.io/oss-fuzz, "Integrating a Swift project"). scripts/fuzz runs it too, so that it works.
#
#   OUT=DIRECTORY Tests/Fuzz/oss-fuzz/build.sh [NAME…]
#
# NAME is a fuzzer's: signature for Tests/Fuzz/FuzzSignature. Without any all are built. In OSS-Fuzz's image it is in $SRC, and the
# project in $SRC/recorder; SANITIZER says which sanitizer, address when it is left out.
set -o pipefail

project=${SRC:-/nonexistent}/recorder
if [ ! -d "$project" ]; then project=$(cd "$(dirname "$0")/../../.." && pwd -P); fi
cd "$project"
scratch=${FUZZ_SCRATCH:-$project/.build-fuzz}
export RECORDER_FUZZING=1

# Optimised, because a fuzzer lives on speed; the checks for overflow and bounds stay in. Testable, to reach what is internal.
flags=(--scratch-path "$scratch" -c release -Xswiftc -enable-testing)
if command -v precompile_swift >/dev/null; then
    # shellcheck source=/dev/null
    . precompile_swift
    # What is not in the image that runs them is stored beside them.
    # shellcheck disable=SC2016,SC2206 # $ORIGIN is the loader's; the flags are words
    flags+=($SWIFTFLAGS -Xlinker -rpath -Xlinker '$ORIGIN/lib')
else
    # Both sanitizers in one word: of two the compiler takes the last one alone, and a fuzzer that sees no coverage finds nothing.
    flags+=(--sanitize fuzzer -Xswiftc "-sanitize=fuzzer,${SANITIZER:-address}" -Xswiftc -parse-as-library)
fi

targets=(Tests/Fuzz/Fuzz*/Fuzz[A-Z]*.swift)
found=no
mkdir -p "$OUT"
for target in "${targets[@]}"; do
    product=$(basename "$target" .swift)
    [ "$product" != FuzzStorage ] || continue
    name=$(printf %s "${product#Fuzz}" | tr '[:upper:]' '[:lower:]')
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    found=yes
    swift build "${flags[@]}" --product "$product"
    # Another name while it runs.
    cp "$(swift build --scratch-path "$scratch" -c release --show-bin-path)/$product" "$OUT/$name.new"
    mv "$OUT/$name.new" "$OUT/$name"
    cp Tests/Fuzz/libfuzzer.options "$OUT/$name.options"
    cp "Tests/Fuzz/Dictionaries/$name.dict" "$OUT/$name.dict"
    (cd "Tests/Fuzz/Corpus/$name" && rm -f "$OUT/${name}_seed_corpus.zip" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" .)
    if [ -n "${FUZZING_ENGINE:-}" ]; then
        mkdir -p "$OUT/lib"
        ldd "$OUT/$name" | awk '$3 ~ /^\// { print $3 }' | grep -Ev '/(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)\.so' |
            xargs -r cp -Lt "$OUT/lib"
    fi
done
[ "$found" = yes ] || { echo "build.sh: unknown fuzzer $*" >&2; exit 64; }
