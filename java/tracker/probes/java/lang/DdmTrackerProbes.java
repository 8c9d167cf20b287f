package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What probed methods call. The agent defines this class into java.base, initialises it and binds its
 * natives before the first probe is put in.
 *
 * Counts are exact without an atomic instruction: each thread of the system adds in a row of cells of
 * its own. Nothing here runs a Java method that may itself be probed (only natives, which have no
 * code to put anything in), throws or, but for a thread's first row, allocates.
 *
 * Cells of a probe, from `cell` on: hits, tests of its condition, nanoseconds in all, then how many
 * calls took less than 1, 2, 4, ... ns.
 */
public final class DdmTrackerProbes {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long ID = U.objectFieldOffset(Thread.class, "tid");
    private static final long TEXT = U.objectFieldOffset(String.class, "value");
    private static final long CODER = U.objectFieldOffset(String.class, "coder");
    private static final Class<?> VIRTUAL = virtualThreads();
    private static final long CARRIER =
        VIRTUAL == null ? 0 : U.objectFieldOffset(VIRTUAL, "carrierThread");

    private static final int MASK = 4095;
    /** By thread id, as far as there is room; cell 0 of a row is the id of its thread. */
    private static final long[][] ROWS = rows();
    /** By number of the probe: whether hits are still recorded. */
    private static final byte[] RECORDING = new byte[4096];

    /** When the cells were last given to other probes. */
    private static long since;

    private static final int TESTS = 1, TOTAL = 2, TIMES = 3, MOST_TIMES = 40;
    private static final int SCRATCH = 1;

    private DdmTrackerProbes() { }

    @Hidden @ForceInline public static void count(int cell) {
        long[] row = row(cell);
        if (row != null) row[cell]++;
        else share(cell, 1);
    }

    @Hidden @ForceInline public static void count(int cell, boolean wanted) {
        long[] row = row(cell + TESTS);
        if (row != null) {
            row[cell + TESTS]++;
            if (wanted) row[cell]++;
        } else {
            share(cell + TESTS, 1);
            if (wanted) share(cell, 1);
        }
    }

    @Hidden @ForceInline public static long begin(int cell) {
        count(cell);
        return System.nanoTime();
    }

    /** 0: not to be timed. */
    @Hidden @ForceInline public static long begin(int cell, boolean wanted) {
        count(cell, wanted);
        return wanted ? System.nanoTime() : 0;
    }

    /** Of a hit that is counted elsewhere. */
    @Hidden @ForceInline public static long clock() { return System.nanoTime(); }

    @Hidden @ForceInline public static long clock(boolean wanted) {
        return wanted ? System.nanoTime() : 0;
    }

    @Hidden @ForceInline public static void end(long begun, int cell) {
        if (begun == 0 || begun - since < 0) return;
        long took = System.nanoTime() - begun;
        // The exponent of a double, read by a native: the number of bits of `took`.
        int bits = (int) (Double.doubleToRawLongBits((double) took) >>> 52) - 1022;
        int time = cell + TIMES + (bits < 0 ? 0 : bits >= MOST_TIMES ? MOST_TIMES - 1 : bits);
        long[] row = row(cell + TIMES + MOST_TIMES);
        if (row != null) {
            row[cell + TOTAL] += took;
            row[time]++;
        } else {
            share(cell + TOTAL, took);
            share(time, 1);
        }
    }

    /** The number of a record that the values of this hit go to; 0: it is not recorded. */
    @Hidden @ForceInline public static int open(int cell, int probe) {
        count(cell);
        return RECORDING[probe & MASK] == 0 ? 0 : opened(probe);
    }

    @Hidden @ForceInline public static int open(int cell, int probe, boolean wanted) {
        count(cell, wanted);
        return !wanted || RECORDING[probe & MASK] == 0 ? 0 : opened(probe);
    }

    /** `number`: of the argument, from 1 on; 0 = returned, -1 = thrown, -2 = nothing more comes. */
    @Hidden @ForceInline public static void value(int record, int number, long value) {
        if (record != 0) kept(record, number, value);
    }

    @Hidden @ForceInline public static void value(int record, int number, double value) {
        if (record != 0) kept(record, number, value);
    }

    @Hidden @ForceInline public static void value(int record, int number, Object value) {
        if (record != 0) kept(record, number, value);
    }

    /** Conditions. Relations: == != < <= > >=, from 0 on. */
    @Hidden @ForceInline public static boolean test(long left, int relation, long right) {
        switch (relation) {
            case 0: return left == right;
            case 1: return left != right;
            case 2: return left < right;
            case 3: return left <= right;
            case 4: return left > right;
            default: return left >= right;
        }
    }

    @Hidden @ForceInline public static boolean test(double left, int relation, double right) {
        switch (relation) {
            case 0: return left == right;
            case 1: return left != right;
            case 2: return left < right;
            case 3: return left <= right;
            case 4: return left > right;
            default: return left >= right;
        }
    }

    @Hidden @ForceInline public static boolean test(Object left, int relation) {
        return (left == null) == (relation == 0);
    }

    @Hidden public static boolean test(Object left, int relation, String right) {
        return (left instanceof String && same((String) left, right)) == (relation == 0);
    }

    /** String.equals may be probed. */
    private static boolean same(String left, String right) {
        byte[] a = (byte[]) U.getReference(left, TEXT), b = (byte[]) U.getReference(right, TEXT);
        if (a.length != b.length || U.getByte(left, CODER) != U.getByte(right, CODER)) return false;
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) return false;
        }
        return true;
    }

    /** The row that this thread alone adds in, long enough for `last`. Null: it has none. */
    @Hidden @ForceInline private static long[] row(int last) {
        Thread thread = Thread.currentThread();
        long id = U.getLong(thread, ID);
        long[] row = ROWS[(int) id & MASK];
        if (row[0] == id && last < row.length) return row;
        return findRow(thread, id, last);
    }

    @Hidden private static long[] findRow(Thread thread, long id, int last) {
        // A virtual thread adds in the row of its carrier: it does not leave it in here.
        if ((Object) thread.getClass() == VIRTUAL) {
            thread = (Thread) U.getReference(thread, CARRIER);
            if (thread == null) return null;
            id = U.getLong(thread, ID);
            long[] row = ROWS[(int) id & MASK];
            if (row[0] == id && last < row.length) return row;
        }
        return newRow(id, last);
    }

    private static long[][] rows() {
        long[] none = new long[1];
        long[][] rows = new long[MASK + 1][];
        for (int i = 0; i < rows.length; i++) rows[i] = none;
        return rows;
    }

    private static Class<?> virtualThreads() {
        try {
            return Class.forName("java.lang.VirtualThread", false, null);
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    @Hidden private static native long[] newRow(long thread, int last);
    /** For a thread that has no row. */
    @Hidden private static native void share(int cell, long amount);
    @Hidden private static native int opened(int probe);
    @Hidden private static native void kept(int record, int number, long value);
    @Hidden private static native void kept(int record, int number, double value);
    @Hidden private static native void kept(int record, int number, Object value);

    /** Nanoseconds of so many hits; `what`: 0 count, 1 a condition that is false, 2 time, 3 a native. */
    static long cost(int what, int rounds) {
        long begun = System.nanoTime();
        switch (what) {
            case 0: for (int i = 0; i < rounds; i++) count(SCRATCH); break;
            case 1: for (int i = 0; i < rounds; i++) count(SCRATCH, test(i, 2, -1)); break;
            case 2: for (int i = 0; i < rounds; i++) end(begin(SCRATCH), SCRATCH); break;
            default: for (int i = 0; i < rounds; i++) kept(0, 0, 0L); break;
        }
        return System.nanoTime() - begun;
    }

    /** From now on cells belong to other probes: what began before does not add to them. */
    static void renew() { since = System.nanoTime(); }

    /** Links the class below: see DdmTrackerCalls.link(). */
    static void link() { touch(); }

    private static void touch() { DdmTrackerProbesLink.touch(); }
}
