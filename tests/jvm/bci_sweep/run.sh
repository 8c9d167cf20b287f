#!/usr/bin/env bash
# The class file rewriter against real JVMs.
#
#   run.sh JAVA_HOME [--full|N/M [HOOKS]]   BUILD_DIR (default: build/release) holds the built targets
#                                           bci_sweep_agent and bci_rewrite
#
# 1. Sweep: every class of java.base (N/M: each Mth, beginning with the Nth, 0 being the first;
#    with these HOOKS; --full: of every module, and of the jars below) rewritten with
#    all transformations together and linked under -Xverify:all, while the JVM itself runs on the
#    rewritten classes. "wide": with every branch in its long form and the frames that this takes;
#    "everywhere": with a call before and behind each instruction; "patches": every site of every
#    method patched, with all values that are there. A control run without rewriting
#    says how many can be linked at all.
#    --full also takes every method of the JDK apart and writes it back: the same bytes must come out.
# 2. Behaviour: rewritten programs give the same results, and every hook is called exactly as often
#    as counted by hand; compiled by javac and, where ecj is installed, to old class files (N/M: of
#    one version).
# 3. Patches: Patched with the patches of patched/patches.txt, whose sinks must be called as often and
#    with the values counted by hand; the programs of 2 with every patch there is give the same
#    results.
# Prints a table; exit code 1 if anything failed.
set -u
if [ $# -lt 1 ] || [ ! -x "$1/bin/javac" ]; then
  echo "usage: run.sh JAVA_HOME [--full|N/M [HOOKS]]  (JAVA_HOME must hold bin/javac)" >&2
  exit 2
fi
java_home=$1 full=${2:-} hooks=${3:-all wide patches}
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD_DIR:-$here/../../../build/release}
agent=$build/lib/libbci_sweep_agent.so
rewrite=$build/bin/bci_rewrite
for needed in "$agent" "$rewrite"; do
  if [ ! -e "$needed" ]; then
    echo "run.sh: $needed is missing; build bci_sweep_agent and bci_rewrite" >&2
    exit 2
  fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

fail() {
  echo "FAILED $1"
  failed=1
}

sweep() {  # HOOK ARGUMENTS...: runs Sweep, output in sweep.HOOK
  local hook=$1
  shift
  "$java_home/bin/java" -Xverify:all --add-modules ALL-SYSTEM -agentpath:"$agent=$hook" \
    -cp sweep Sweep "$@" >"sweep.$hook" 2>&1
}
value() { sed -n "s/^$2 //p" "sweep.$1"; }

sweep_row() {  # NAME HOOKS ARGUMENTS...: HOOKS is a list of options of the agent
  local name=$1 hooks=$2 hook seconds
  shift 2
  sweep none "$@"
  for hook in $hooks; do
    seconds=$SECONDS
    sweep "$hook" "$@"
    seconds=$((SECONDS - seconds))
    printf '%-22s %-11s %7s %9s %8s %8s %7s %5ss\n' "$name" "$hook" "$(value "$hook" classes)" \
      "$(value "$hook" rewritten)" "$(value "$hook" linked)" "$(value none linked)" \
      "$(value "$hook" refused)" "$seconds"
    grep -E '^(skipped|unlinkable) ' "sweep.$hook" | sed 's/^/    /'
    if [ -z "$(value "$hook" linked)" ] ||
      [ "$(value "$hook" linked)" != "$(value none linked)" ] ||
      [ "$(value "$hook" refused)" != "$(value none refused)" ] ||
      [ "$(value "$hook" 'retransform errors')" != 0 ]; then
      fail "$name $hook"
      grep -vE '^(skipped|unlinkable|linked|classes|rewritten) ' "sweep.$hook" | head -20
    fi
  done
}

jars() {  # prints the jars of /usr/share/java that match, each once
  find -L /usr/share/java -maxdepth 1 -type f -name "$1" -exec readlink -f {} + | sort -u
}

"$java_home/bin/javac" -d sweep "$here/Sweep.java" || exit 1
"$java_home/bin/java" -version 2>&1 | head -1
printf '%-22s %-11s %7s %9s %8s %8s %7s\n' sweep hooks classes rewritten linked control refused
sweep broken victim
[ "$(value broken refused)" = 2 ] || fail "spoilt code was not refused"
if [ "$full" = --full ]; then
  sweep_row "all modules" "all wide everywhere patches" all
  "$java_home/bin/jimage" extract --dir image "$java_home/lib/modules"
  "$rewrite" --hooks none --reencode image >reencode.out
  sed -n 's/^/written back: /; 1p' reencode.out
  [ "$(sed -nE 's/.* ([0-9]+) written \(\1 with the same bytes\).*/same/p' reencode.out)" = same ] ||
    fail "methods written back differ"
  rm -rf image
  all=$(jars '*.jar' | paste -sd:)
  for pattern in 'eclipse-jdt-core-*.jar' 'h2-*.jar' guava.jar 'groovy-all-*.jar' 'lucene-*.jar'; do
    with_all=()
    for jar in $(jars "$pattern"); do with_all+=("$jar:$all"); done
    [ ${#with_all[@]} = 0 ] || sweep_row "$pattern" "all wide patches" "${with_all[@]}"
  done
else
  sweep_row java.base "$hooks" ${full:+"$full"} java.base
fi

behave() {  # NAME ARGUMENT_OF_BEHAVIOUR: rewrites the classes in ./compiled and runs them
  local name=$1 out
  shift
  rm -rf rewritten
  "$rewrite" --hook-class HookLog -o rewritten compiled >rewrite.out || fail "$name"
  cp driver/*.class rewritten
  out=$("$java_home/bin/java" -Xverify:all -cp rewritten Behaviour "$@" 2>&1) || failed=1
  printf '%-28s %s\n' "$name" "${out:-no output}"
  grep -q 'code-too-long *1$' rewrite.out || fail "$name: one method is too long to rewrite"
}

plain() {  # NAME ARGUMENT_OF_BEHAVIOUR: every patch in ./compiled, the results must be the same
  local name=$1 out
  shift
  rm -rf rewritten
  "$rewrite" --hook-class EverySinks --patch every -o rewritten compiled >rewrite.out || fail "$name"
  cp driver/*.class rewritten
  out=$("$java_home/bin/java" -Xverify:all -Dplain=true -cp rewritten Behaviour "$@" 2>&1) || failed=1
  printf '%-28s %s\n' "$name" "${out:-no output}"
}

patched() {
  local sum out refused
  mkdir -p patched_all patched_out
  "$java_home/bin/javac" -g -d patched_all "$here"/patched/*.java || exit 1
  sum=$(grep -n 'sum += c.length' "$here/patched/Patched.java" | cut -d: -f1)
  sed "s/@SUM@/$sum/" "$here/patched/patches.txt" >patches.txt
  "$rewrite" --hook-class PatchLog --patch @patches.txt -o patched_out patched_all >patched.log ||
    fail "patches"
  out=$("$java_home/bin/java" -Xverify:all -cp patched_out PatchedRun 2>&1) || failed=1
  printf '%-28s %s\n' "patches" "${out:-no output}"
  refused=$(awk '/skipped: / { lines++; sites += $NF } END { print lines, sites }' patched.log)
  [ "$refused" = "6 7" ] || { fail "patches refused"; cat patched.log; }
}

mkdir source all driver
cp "$here"/{HookLog,EverySinks,Scenarios,Modern,Behaviour}.java source
"$here/big.sh" >source/Big.java
"$java_home/bin/javac" -J-Xss512m -g -nowarn -Xlint:none -d all source/*.java 2>javac.out ||
  { cat javac.out; exit 1; }
cp all/{HookLog,EverySinks,Behaviour}*.class driver
out=$("$java_home/bin/java" -Dplain=true -cp all Behaviour 2>&1) || failed=1
printf '%-28s %s\n' "behaviour not rewritten" "$out"
rm -rf compiled && cp -r all compiled && rm compiled/{HookLog,EverySinks,Behaviour}*.class
behave "behaviour javac"
plain "every patch javac"
patched
ecj=$(jars eclipse-jdt-core.jar)
if [ -n "$ecj" ]; then
  targets=("1.3 1.1" "1.4 1.4" "1.6 1.6" "17 17")
  case $full in */*) targets=("${targets[${full%/*} % 4]}") ;; esac
  for target in "${targets[@]}"; do
    rm -rf compiled && mkdir compiled
    "$java_home/bin/java" -Xss512m -cp "$ecj" org.eclipse.jdt.internal.compiler.batch.Main -g \
      -nowarn -proc:none -source "${target% *}" -target "${target#* }" -d compiled \
      source/Scenarios.java source/Big.java >ecj.out 2>&1 ||
      { echo "behaviour ecj $target: ecj of Debian cannot compile on this JDK, skipped"; continue; }
    behave "behaviour ecj -target ${target#* }" old
    plain "every patch ecj -target ${target#* }" old
  done
fi
exit $failed
