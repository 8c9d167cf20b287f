package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The methods that patched code calls: counters, times and values for the agent. The agent defines
 * this class into java.base and binds its natives before the first patch is installed.
 *
 * Counts are exact on any number of threads, without an atomic instruction: a thread owns a row of
 * the table, and no other thread writes to it. Rows are assigned by thread id, two to each; a thread
 * whose rows are owned by other live threads adds to shared cells, atomically. A virtual thread uses its
 * carrier's row: nothing in here can unmount it.
 *
 * Everything here may be called from any code of the program, whatever is patched: it never throws,
 * creates no object visible to others, and calls only natives, none of which can be patched.
 */
public final class DdmTrackerSinks {
    private DdmTrackerSinks() { }

    /** Cells are numbered; a chunk of them is one array, whose element 0 is the owner's id. */
    private static final int CHUNK = 256;
    private static final int CHUNKS = 512;
    private static final int ROWS = 256;
    private static final int IN_CHUNK = CHUNK - 1;
    private static final int OF_CHUNK = (CHUNKS - 1) * CHUNK;
    private static final int CELL = OF_CHUNK | IN_CHUNK;

    /** A counter has hits and evaluations of its condition; a timer of 64 cells has these as well. */
    private static final int TESTS = 1, TOTAL = 2, EXCEPTIONS = 3, TIMES = 4;
    /** Histogram: calls that took less than 1, 2, 4, ... ns. */
    private static final int MOST_TIMES = 40;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long TID = UNSAFE.objectFieldOffset(Thread.class, "tid");
    /** Zero before a thread starts and after it has ended. */
    private static final long EETOP = UNSAFE.objectFieldOffset(Thread.class, "eetop");
    private static final long TEXT = UNSAFE.objectFieldOffset(String.class, "value");
    private static final long NAME = UNSAFE.objectFieldOffset(Enum.class, "name");
    private static final long CODER = UNSAFE.objectFieldOffset(String.class, "coder");
    private static final long OWNER0 = number("ARRAY_OBJECT_BASE_OFFSET");
    private static final long OWNER_SIZE = number("ARRAY_OBJECT_INDEX_SCALE");
    /** Null: this VM has no virtual threads. */
    private static final Class<?> VIRTUAL = virtualThreads();
    private static final long CARRIER =
        VIRTUAL == null ? 0 : UNSAFE.objectFieldOffset(VIRTUAL, "carrierThread");

    /** By chunk and row. */
    private static final long[][] CELLS = new long[CHUNKS * ROWS][];
    private static final Thread[] OWNERS = new Thread[ROWS];
    /** By cell: whether values are recorded. Written by the agent. */
    private static final boolean[] OPEN = new boolean[CHUNKS * CHUNK];
    /** By chunk: whether only hits of chosen threads are counted. */
    private static volatile boolean[] chosenChunks = new boolean[CHUNKS];
    /** 0: these ids, in order; 1: all but these. */
    private static volatile long[] choice = {1};
    /** For hits of threads that are not chosen; never read. */
    private static final long[] NOBODYS = new long[1 + CHUNK];
    /** The thread that measures the cost of hits. */
    private static volatile Thread measuring;
    /** By timer: when it was allocated. */
    private static final long[] SINCE = new long[CHUNKS * CHUNK / 64];

    /** A constant of Unsafe: int on some VMs, long on others. */
    private static long number(String name) {
        try {
            return ((Number) Unsafe.class.getDeclaredField(name).get(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Class<?> virtualThreads() {
        try {
            return Class.forName("java.lang.VirtualThread", false, null);
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    @Hidden @ForceInline
    public static void count(int cell) {
        final long[] cells = cells(cell);
        if (cells != null) {
            cells[1 + (cell & IN_CHUNK)]++;
        } else {
            share(cell, 1);
        }
    }

    @Hidden @ForceInline
    public static void count(int cell, boolean holds) {
        final long[] cells = cells(cell);
        if (cells != null) {
            final int at = 1 + (cell & IN_CHUNK & ~TESTS);
            cells[at + TESTS]++;
            if (holds) {
                cells[at]++;
            }
        } else {
            share(cell + TESTS, 1);
            if (holds) {
                share(cell, 1);
            }
        }
    }

    /** The start for end() or thrown(); 0: not timed. */
    @Hidden @ForceInline
    public static long begin() {
        return System.nanoTime();
    }

    @Hidden @ForceInline
    public static long begin(boolean holds) {
        return holds ? System.nanoTime() : 0;
    }

    @Hidden @ForceInline
    public static long begin(int cell) {
        count(cell);
        return System.nanoTime();
    }

    @Hidden @ForceInline
    public static long begin(int cell, boolean holds) {
        count(cell, holds);
        return holds ? System.nanoTime() : 0;
    }

    /** A call that began before the timer was allocated is not counted. */
    @Hidden @ForceInline
    public static void end(int cell, long began) {
        took(cell, began);
    }

    /** As end(), and returns the time that is counted; 0: none is. */
    @Hidden @ForceInline
    public static long took(int cell, long began) {
        if (began == 0 || began - SINCE[(cell & CELL) >>> 6] < 0) {
            return 0;
        }
        final long took = System.nanoTime() - began;
        add(cell, took);
        return took;
    }

    /** Nanoseconds since begin(), for conditions; add() counts them. */
    @Hidden @ForceInline
    public static long elapsed(long began) {
        return System.nanoTime() - began;
    }

    @Hidden @ForceInline
    public static void add(int cell, long took, boolean holds) {
        if (holds) {
            add(cell, took);
        }
    }

    @Hidden @ForceInline
    private static void add(int cell, long took) {
        // The exponent of `took` as a double, by an intrinsic: the number of its bits.
        final int bits = (int) (Double.doubleToRawLongBits((double) took) >>> 52) - 1022;
        final int time = TIMES + (bits < 0 || took < 0 ? 0 : bits < MOST_TIMES ? bits : MOST_TIMES - 1);
        final long[] cells = cells(cell);
        if (cells != null) {
            final int at = 1 + (cell & IN_CHUNK & ~63);
            cells[at + TOTAL] += took;
            cells[at + time]++;
        } else {
            share(cell + TOTAL, took);
            share(cell + time, 1);
        }
    }

    /** The result of conditions, for several sinks. */
    @Hidden @ForceInline
    public static boolean holds(boolean holds) {
        return holds;
    }

    /** Like end(), and counts an exception. */
    @Hidden
    public static void thrown(int cell, long began) {
        count(cell + EXCEPTIONS);
        end(cell, began);
    }

    /** Allocates a record for the values of this hit; 0: it is not recorded. */
    @Hidden @ForceInline
    public static int open(int cell) {
        count(cell);
        return OPEN[cell & CELL] ? opened(cell) : 0;
    }

    @Hidden @ForceInline
    public static int open(int cell, boolean holds) {
        count(cell, holds);
        return holds && OPEN[cell & CELL] ? opened(cell) : 0;
    }

    @Hidden @ForceInline
    public static void value(int record, int which, long value) {
        if (record != 0) {
            kept(record, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int record, int which, double value) {
        if (record != 0) {
            kept(record, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int record, int which, Object value) {
        if (record != 0) {
            kept(record, which, value);
        }
    }

    /** Relations: 0 ==, 1 !=, 2 &lt;, 3 &lt;=, 4 &gt;, 5 &gt;=. */
    @Hidden @ForceInline
    public static boolean test(long left, int relation, long right) {
        return relation == 0 ? left == right : relation == 1 ? left != right
                : relation == 2 ? left < right : relation == 3 ? left <= right
                : relation == 4 ? left > right : left >= right;
    }

    @Hidden @ForceInline
    public static boolean test(double left, int relation, double right) {
        return relation == 0 ? left == right : relation == 1 ? left != right
                : relation == 2 ? left < right : relation == 3 ? left <= right
                : relation == 4 ? left > right : left >= right;
    }

    @Hidden @ForceInline
    public static boolean test(Object left, int relation) {
        return (left == null) == (relation == 0);
    }

    @Hidden
    public static boolean test(Object left, int relation, String right) {
        final Object text = left instanceof Enum ? UNSAFE.getReference(left, NAME) : left;
        return (text instanceof String && same((String) text, right)) == (relation == 0);
    }

    /** A comparison, by number, of a value that fields and elements lead to from the object. */
    @Hidden @ForceInline
    public static boolean walk(Object from, int comparison) {
        return from != null && walked(from, comparison);
    }

    /** String.equals() may be patched. */
    private static boolean same(String left, String right) {
        final byte[] a = (byte[]) UNSAFE.getReference(left, TEXT);
        final byte[] b = (byte[]) UNSAFE.getReference(right, TEXT);
        if (a.length != b.length || UNSAFE.getByte(left, CODER) != UNSAFE.getByte(right, CODER)) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    /** The cells that only this thread writes to; null: it has none. */
    @Hidden @ForceInline
    private static long[] cells(int cell) {
        Thread thread = Thread.currentThread();
        long tid = UNSAFE.getLong(thread, TID);
        long[] cells = CELLS[(cell & OF_CHUNK) | ((int) tid & 0xff)];
        if (cells != null && cells[0] == tid) {
            return cells;
        }
        if (VIRTUAL != null && (Object) thread.getClass() == VIRTUAL) {
            thread = (Thread) UNSAFE.getReference(thread, CARRIER);
            if (thread == null) {
                return null;
            }
            tid = UNSAFE.getLong(thread, TID);
            cells = CELLS[(cell & OF_CHUNK) | ((int) tid & 0xff)];
            if (cells != null && cells[0] == tid) {
                return cells;
            }
        }
        return own(thread, tid, cell & OF_CHUNK);
    }

    /** The thread's cells of the chunk, allocated if needed; null if its rows have other owners. */
    @Hidden @DontInline
    private static long[] own(Thread thread, long tid, int chunk) {
        if (!isChosen(tid, chunk)) {
            return NOBODYS;
        }
        final int second = (int) (tid * 0x9E3779B97F4A7C15L >>> 56);
        long[] cells = CELLS[chunk | second];
        if (cells != null && cells[0] == tid) {
            return cells;
        }
        cells = own(thread, tid, chunk, (int) tid & 0xff);
        return cells != null ? cells : own(thread, tid, chunk, second);
    }

    @Hidden
    private static long[] own(Thread thread, long tid, int chunk, int row) {
        final Thread owner = OWNERS[row];
        if (owner != thread) {
            if (owner != null && UNSAFE.getLongVolatile(owner, EETOP) != 0) {
                return null;
            }
            if (!UNSAFE.compareAndSetReference(OWNERS, OWNER0 + OWNER_SIZE * row, owner, thread)) {
                return null;
            }
        }
        long[] cells = CELLS[chunk | row];
        if (cells == null) {
            try {
                cells = new long[1 + CHUNK];
            } catch (OutOfMemoryError full) {
                return null;
            }
        }
        cells[0] = tid;
        CELLS[chunk | row] = cells;
        UNSAFE.fullFence();
        if (!isChosen(tid, chunk)) {  // choose() may have missed these cells
            cells[0] = 0;
            return NOBODYS;
        }
        return cells;
    }

    private static boolean isChosen(long tid, int chunk) {
        if (!chosenChunks[chunk >>> 8]) {
            return true;
        }
        final long[] ids = choice;
        int low = 1, high = ids.length;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (ids[middle] < tid) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return (low < ids.length && ids[low] == tid) == (ids[0] == 0);
    }

    /** Sets which threads count in which chunks; a thread re-evaluates it at its next hit there. */
    static void choose(boolean[] chunks, long[] ids) {
        chosenChunks = chunks;
        choice = ids;
        UNSAFE.fullFence();
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            for (int row = 0; chunks[chunk] && row < ROWS; row++) {
                final long[] cells = CELLS[chunk * CHUNK | row];
                if (cells != null) {
                    cells[0] = 0;
                }
            }
        }
    }

    /** Sums over all rows of the first into.length cells; called by the agent. */
    static void read(long[] into) {
        for (int i = 0; i < into.length; i++) {
            into[i] = 0;
        }
        for (int chunk = 0; chunk < into.length; chunk += CHUNK) {
            for (int row = 0; row < ROWS; row++) {
                final long[] cells = CELLS[chunk | row];
                for (int i = 0; cells != null && i < CHUNK; i++) {
                    into[chunk + i] += cells[1 + i];
                }
            }
        }
    }

    /** Called before cells of one chunk are reused. */
    static void clear(int first, int count) {
        for (int row = 0; row < ROWS; row++) {
            final long[] cells = CELLS[(first & OF_CHUNK) | row];
            for (int i = 0; cells != null && i < count; i++) {
                cells[1 + (first & IN_CHUNK) + i] = 0;
            }
        }
        SINCE[first >>> 6] = System.nanoTime();
    }

    /**
     * Drops references to ended threads; with `all`, to all threads, and their cells, but those that
     * cost() uses: without them it would take paths that it never took before, for which the VM
     * discards its compiled code, and it would measure the interpreter from then on.
     */
    static void forgetThreads(boolean all) {
        final Thread kept = measuring;
        final int keptCells = kept == null ? -1 : (int) UNSAFE.getLong(kept, TID) & 0xff;
        for (int row = 0; row < ROWS; row++) {
            final Thread owner = OWNERS[row];
            if (owner != null && (all && owner != kept || UNSAFE.getLongVolatile(owner, EETOP) == 0)) {
                UNSAFE.compareAndSetReference(OWNERS, OWNER0 + OWNER_SIZE * row, owner, null);
            }
        }
        for (int i = 0; all && i < CELLS.length; i++) {
            if (i != keptCells) {
                CELLS[i] = null;
            }
        }
    }

    /**
     * Nanoseconds of `rounds` hits; `what`: 0 count, 1 a false condition, 2 time, 3 a native,
     * 4 a step from an object to a field.
     */
    static long cost(int what, int rounds) {
        measuring = Thread.currentThread();
        final long began = System.nanoTime();
        switch (what) {
            case 0: for (int i = 0; i < rounds; i++) { count(0); } break;
            case 1: for (int i = 0; i < rounds; i++) { count(0, test(i, 2, -1)); } break;
            case 2: for (int i = 0; i < rounds; i++) { end(0, begin(0)); } break;
            case 4: for (int i = 0; i < rounds; i++) { count(0, walk(measuring, 0)); } break;
            default: for (int i = 0; i < rounds; i++) { kept(0, 0, 0L); } break;
        }
        return System.nanoTime() - began;
    }

    /** For a thread without cells. */
    @Hidden private static native void share(int cell, long more);
    @Hidden private static native int opened(int cell);
    @Hidden private static native boolean walked(Object from, int comparison);
    @Hidden private static native void kept(int record, int which, long value);
    @Hidden private static native void kept(int record, int which, double value);
    @Hidden private static native void kept(int record, int which, Object value);

    /**
     * Links the class below. In its ClassPrepare event the agent registers the natives, with two
     * frames of java.base on the stack, without which the VM would print a warning.
     */
    static void link() { touch(); }

    private static void touch() { DdmTrackerSinksLink.touch(); }
}
