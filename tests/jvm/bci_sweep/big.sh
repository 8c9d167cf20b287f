#!/usr/bin/env bash
# Prints Big.java: methods whose branches fit into 16 bits only until hooks are put in.
set -eu
count=5200 terms=2300 long=9000
repeat() { local i; for ((i = 0; i < $1; i++)); do printf '%s\n' "$2"; done; }
cat <<END
public class Big extends BigBase {
    static final int COUNT = $count, TERMS = $terms, LONG = $long;
    static int one(int[] array) { return array.length; }
    static int branch(boolean skip, long l, double d, String s, int i) {
        int[][] matrix = null; float f = 1f; Object o = s; byte[] bytes = null;
        if (!skip) {
$(repeat $count '            bytes = new byte[i];')
        }
        return (int) (l + d) + i;
    }
    static int loop(int n) {
        int sum = 0; int[] a;
        for (int i = 0; i < n; i++) {
$(repeat $((count / 2)) '            a = new int[1]; a = new int[1];')
            sum += $count;
        }
        return sum;
    }
    static int make(boolean none) {
        return new BigBase(1L, none ? 0 : 0
$(repeat $terms '            + one(new int[1])')
        ).sum;
    }
    Big(boolean none, long l) {
        super(l, none ? 0 : 0
$(repeat $terms '            + one(new int[1])')
        );
    }
    static int tooLong() {
        int sum = 0; int[] a;
$(repeat $long '        a = new int[1]; sum++;')
        return sum;
    }
}
class BigBase {
    final int sum;
    BigBase(long l, int sum) { this.sum = sum; }
}
END
