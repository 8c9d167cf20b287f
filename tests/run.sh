#!/usr/bin/env bash
# The one test command: installs what is missing, builds, runs every test.
#   tests/run.sh           the quick set
#   tests/run.sh --full    the long matrix too
# The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1

full=""
for argument in "$@"; do
    case "$argument" in
        --full) full=--full ;;
        *) echo "usage: tests/run.sh [--full]; not understood: $argument" >&2; exit 2 ;;
    esac
done

passed=0
failed=0
failures=()

# Counts one step: step NAME COMMAND...
step() {
    local name=$1 begin=$SECONDS
    shift
    echo "=== $name"
    if "$@"; then
        passed=$((passed + 1))
        echo "--- $((SECONDS - begin)) s"
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAILED: $name"
    fi
}

# Counts a runner that says "... N passed, N failed" in its own last line: counted NAME COMMAND...
counted() {
    local name=$1 log line
    shift
    echo "=== $name"
    log=$(mktemp)
    "$@" 2>&1 | tee "$log"
    line=$(grep -Eo '[0-9]+ passed, [0-9]+ failed$' "$log" | tail -1)
    sed -n 's/^FAIL \(.*\) ([^)]*)$/FAIL \1/p' "$log" > "$log.failed"
    if [ -z "$line" ]; then
        failed=$((failed + 1))
        failures+=("$name gave no result")
    else
        passed=$((passed + ${line%% passed*}))
        line=${line#*, }
        failed=$((failed + ${line%% failed*}))
        while read -r row; do failures+=("$row"); done < "$log.failed"
    fi
    rm -f "$log" "$log.failed"
}

finish() {
    if [ "$failed" -gt 0 ]; then
        printf '\nfailed:\n'
        printf '  %s\n' "${failures[@]}"
    fi
    printf '\n%d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# What building needs is one list for everybody; the rest only tests use.
mapfile -t packages < <(grep -v '^#' cmake/build_packages.txt)
packages+=(
    catch2 clang libclang-rt-14-dev python3 chromium fonts-dejavu-core openjdk-17-source
    ecj libh2-java libguava-java groovy liblucene4.10-java libjacoco-java
    adb libandroid-ddms-java dmtracedump visualvm golang-go valgrind patchelf
    zsh groff-base mmdebstrap maven libsurefire-java libmaven-resources-plugin-java libmaven-compiler-plugin-java ant ant-optional
    libjava-allocation-instrumenter-java
)
if ! ./cmake/install_packages.sh "${packages[@]}"; then
    failed=1
    failures+=("installing packages")
    finish
fi

counted "the house" python3 tests/house/test_house.py

# With make a processor waits for libraries that another compiles.
export CMAKE_GENERATOR=Ninja
jobs=$(nproc)
build() {
    cmake --preset "$1" ${full:+-DDDM_FUZZ_SEARCH=ON} > "build/$1.configure.log" 2>&1 || { cat "build/$1.configure.log"; return 1; }
    # shellcheck disable=SC2086  # several targets
    cmake --build "build/$1" -j "$jobs" ${2:+--target $2} > "build/$1.build.log" 2>&1 ||
        { grep -E "error|warning|Error" "build/$1.build.log" | head -40; return 1; }
}
mkdir -p build

# As many unit tests at a time as there are processors: unit_tests WHAT DIRECTORY WHICH PROGRAM...
unit_tests() {
    local what=$1 directory=$2 which=$3 begin=$SECONDS name
    shift 3
    local -a programs=("$@")
    local logs
    logs=$(mktemp -d)
    # shellcheck disable=SC2016  # for the inner shell
    printf "$directory/%s\n" "${programs[@]}" | xargs -P "$jobs" -I{} sh -c \
        '"$2" $3 > "$1/$(basename "$2").log" 2>&1; echo $? > "$1/$(basename "$2").code"' \
        sh "$logs" {} "$which"
    for name in "${programs[@]}"; do
        echo "=== $what: $name"
        cat "$logs/$name.log"
        if [ "$(cat "$logs/$name.code")" = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            failures+=("$what: $name")
            echo "FAILED: $what: $name"
        fi
    done
    echo "--- $((SECONDS - begin)) s for all of them"
    rm -rf "$logs"
}

# Unit tests run under the sanitizers; optimised too where those would be in the way (native_test
# reads malloc's own structures), and all of them in the full set.
# Sorted, since the longest of them, allocations_test, should begin first.
mapfile -t units < <(grep -rhoP '^ddm_unit_test\(\K\w+' tests/unit --include=CMakeLists.txt | sort)
step "build release" build release "all ${full:+unit_tests} native_test"
if [ "$failed" -gt 0 ]; then finish; fi
if [ -n "$full" ]; then optimised=("${units[@]}"); else optimised=(native_test); fi
unit_tests "unit" build/release/bin "" "${optimised[@]}"

# Each file on its own: every one includes what it uses.
if [ -n "$full" ]; then step "build debug" build debug all; fi

if [ -n "$full" ]; then step "build with clang" build clang all; fi

# Large data tells a sanitizer nothing new. A quick set has one sanitizer, by turns of four days: the race
# detector for what runs in threads; memory and undefined behaviour for stacks, records and reports, for what
# reads class files, documents and the wire, and for the tool and all else.
day=${DDM_TEST_DAY:-$(($(date +%s) / 86400))}
records=" allocations_test heap_walk_test report_test ring_fuzz stack_tree_test stack_walk_test time_test trace_fuzz "
parsers=" bci_fuzz bci_test condition_fuzz ddm_fuzz dyper_fuzz dyper_test hprof_test net_test options_test patch_test profile_fuzz "
mapfile -t fuzzers < <(grep -hoP '^ddm_fuzzer\(\K\w+' tests/fuzz/CMakeLists.txt)
tsan=() asan=() which="~[large]"
if [ -n "$full" ]; then
    which="" tsan=("${units[@]}") asan=("${units[@]}" "${fuzzers[@]}")
elif [ $((day % 4)) = 0 ]; then
    tsan=(allocations_test core_test ddm_test heap_walk_test native_test net_test stack_tree_test time_test vm_memory_test)
else
    for name in "${units[@]}" "${fuzzers[@]}"; do
        turn=3
        if [[ $records == *" $name "* ]]; then turn=1; fi
        if [[ $parsers == *" $name "* ]]; then turn=2; fi
        if [ $((day % 4)) = $turn ]; then asan+=("$name"); fi
    done
fi
sanitized() {
    local preset=$1
    shift
    if [ $# = 0 ]; then
        echo "=== $preset: not today (DDM_TEST_DAY=0 has tsan, 1 to 3 have a part of asan each)"
        return
    fi
    step "build $preset" build "$preset" "$*"
    local -a programs=()
    for name in "$@"; do if [[ $name == *_test ]]; then programs+=("$name"); fi; done
    unit_tests "unit under $preset" "build/$preset/bin" "$which" "${programs[@]}"
}
sanitized asan "${asan[@]}"
sanitized tsan "${tsan[@]}"

# The quick set replays what was found before, the full one searches for more: side by side, and from
# the same seed on every machine. What a longer search with other seeds finds becomes a file in
# tests/corpus.
if [ -n "$full" ]; then how="for 120 s" search=-max_total_time=120
else how="on its corpus" search=-runs=0; fi
fuzz() {
    mkdir -p "build/fuzz/corpus/$1"
    "build/asan/bin/$1_fuzz" -seed=1 "$search" -artifact_prefix=build/fuzz/ \
        -print_final_stats=1 -verbosity=0 "build/fuzz/corpus/$1" "tests/corpus/$1" \
        > "build/fuzz/$1.log" 2>&1
}
declare -A fuzz_jobs=()
for name in "${asan[@]}"; do
    if [[ $name != *_fuzz ]]; then continue; fi
    name=${name%_fuzz}
    fuzz "$name" &
    fuzz_jobs[$name]=$!
done
for name in "${!fuzz_jobs[@]}"; do
    step "fuzz $name $how" wait "${fuzz_jobs[$name]}"
    grep -E "^stat::number|SUMMARY|Test unit written|_fuzz: " "build/fuzz/$name.log"
done

# JDKs that this Debian does not have. They are kept between runs; the quick set waits a minute for
# them, once a day. What has not come is skipped.
if [ -n "$full" ]; then more=(21 26 27 28) limit=600; else more=(21 27) limit=60; fi
mkdir -p build/jdks
waited=build/jdks/waited-$(date +%F)
if [ -z "$full" ] && [ -e "$waited" ]; then limit=5; fi
timeout -k 5 "$limit" ./tests/more_jdks.sh "${more[@]}" || {
    echo "more JDKs: those not told of are skipped: they did not come within $limit s"
    touch "$waited"
}
export DDM_MORE_JDKS=$PWD/build/jdks

counted "real JVMs" python3 tests/jvm/run.py $full
finish
