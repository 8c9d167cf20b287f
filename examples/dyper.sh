#!/bin/sh
# Looks into a running program with DYPER documents: who it is, where it is hot, what its stacks are.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
work=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT

cat > "$work/Hot.java" <<'JAVA'
public class Hot {
    static long work(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += i * 31L;
        return sum;
    }
    public static void main(String[] args) {
        System.out.println("working");
        long sum = 0;
        for (long end = System.nanoTime() + 60_000_000_000L; System.nanoTime() < end; ) sum += work(100_000);
        System.out.println(sum);
    }
}
JAVA
java -agentpath:"$PWD/$build/lib/libddmagent.so=dyper=listen:127.0.0.1:0" "$work/Hot.java" > "$work/out" 2> "$work/err" &
pid=$!
until grep -qs working "$work/out"; do sleep 0.1; done
grep "serves DYPER" "$work/err"

ddm="$build/bin/ddm"
"$ddm" dyper "$pid" "<DYPER COMMAND='PING' />"
"$ddm" dyper "$pid" "<DYPER COMMAND='SET'><VAR NAME='MONITOR' VALUE='true' /></DYPER>" > /dev/null
sleep 3
echo "where it is hot:"
"$ddm" dyper "$pid" "<DYPER COMMAND='REPORT' />" | grep "ITEM NAME='Hot" | sort -t"'" -k6nr | head -5
echo "the main thread:"
"$ddm" dyper "$pid" "<DYPER COMMAND='SHOWSTACK' />" | sed -n "/NAME='main'/,/<\/THREAD>/p"
