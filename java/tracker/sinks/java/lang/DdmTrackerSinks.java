package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What patched code calls: counters, times and values for the agent. The agent defines this class
 * into java.base and binds its natives before the first patch is put in.
 *
 * Counts are exact on any number of threads, without an atomic instruction: a thread owns a row of
 * the table, and nobody else writes to it. Rows go by the thread's id; a thread that finds its row
 * taken by a living thread adds to the shared row, atomically. A virtual thread uses the row of its
 * carrier, which is asked for in a method that is never inlined: it cannot change in there.
 *
 * Everything here may be called from any code of the program, whatever is patched: it never throws,
 * makes no object that anybody sees, and calls nothing but natives, of which none can be patched.
 */
public final class DdmTrackerSinks {
    private DdmTrackerSinks() { }

    /** Cells are numbered through; a chunk of them is one array, whose element 0 is the owner. */
    private static final int CHUNK = 256;
    private static final int CHUNKS = 128;
    private static final int ROWS = 256;

    /** A timer's cells: hits, sum, largest, exceptions; then by powers of two. */
    private static final int LAST_BUCKET = 59;
    private static final int FIRST_BUCKET = 4;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long TID = UNSAFE.objectFieldOffset(Thread.class, "tid");
    /** Zero before a thread starts and again when it has ended. */
    private static final long EETOP = UNSAFE.objectFieldOffset(Thread.class, "eetop");
    private static final long OWNER0 = number("ARRAY_OBJECT_BASE_OFFSET");
    private static final long OWNER_SIZE = number("ARRAY_OBJECT_INDEX_SCALE");
    private static final long CELL0 = number("ARRAY_LONG_BASE_OFFSET");
    private static final boolean CARRIERS = Runtime.version().feature() >= 19;

    /** By chunk and row. */
    private static final long[][] CELLS = new long[CHUNKS * ROWS][];
    private static final Thread[] OWNERS = new Thread[ROWS];
    private static final long[][] SHARED = new long[CHUNKS][CHUNK + 1];
    /** By cell: whether values are wanted. */
    private static final boolean[] OPEN = new boolean[CHUNKS * CHUNK];

    /** A constant of Unsafe: int on some VMs, long on others. */
    private static long number(String name) {
        try {
            return ((Number) Unsafe.class.getDeclaredField(name).get(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Hidden @ForceInline
    public static void count(int cell) {
        final long tid = UNSAFE.getLong(Thread.currentThread(), TID);
        final long[] cells = CELLS[(cell & 0x7f00) | ((int) tid & 0xff)];
        if (cells != null && cells[0] == tid) {
            cells[1 + (cell & 0xff)]++;
        } else {
            countSlowly(cell);
        }
    }

    @Hidden @ForceInline
    public static void count(int cell, boolean holds) {
        if (holds) {
            count(cell);
        }
    }

    /** What is kept until end() or thrown(). */
    @Hidden @ForceInline
    public static long begin() {
        return System.nanoTime();
    }

    @Hidden @ForceInline
    public static void end(int cell, long began) {
        if (began != 0) {
            took(cell, System.nanoTime() - began);
        }
    }

    @Hidden @ForceInline
    public static void end(int cell, long began, boolean holds) {
        if (holds) {
            end(cell, began);
        }
    }

    /** As end(), and an exception is counted. */
    @Hidden
    public static void thrown(int cell, long began) {
        count(cell + 3);
        end(cell, began);
    }

    @Hidden @ForceInline
    private static void took(int cell, long nanos) {
        final long tid = UNSAFE.getLong(Thread.currentThread(), TID);
        final long[] cells = CELLS[(cell & 0x7f00) | ((int) tid & 0xff)];
        if (cells != null && cells[0] == tid) {
            add(cells, cell, nanos);
        } else {
            tookSlowly(cell, nanos);
        }
    }

    @Hidden @ForceInline
    private static void add(long[] cells, int cell, long nanos) {
        final int at = 1 + (cell & 0xc0);
        cells[at]++;
        cells[at + 1] += nanos;
        if (cells[at + 2] < nanos) {
            cells[at + 2] = nanos;
        }
        cells[at + bucket(nanos)]++;
    }

    @ForceInline
    private static int bucket(long nanos) {
        // The exponent of a double, by natives only.
        final int power = (int) (Double.doubleToRawLongBits((double) (nanos | 1)) >>> 52) - 1023;
        return FIRST_BUCKET + (nanos < 0 ? 0 : power > LAST_BUCKET ? LAST_BUCKET : power);
    }

    @Hidden @DontInline
    private static void countSlowly(int cell) {
        final long[] cells = own(cell);
        if (cells != null) {
            cells[1 + (cell & 0xff)]++;
        } else {
            share(cell, 1);
        }
    }

    @Hidden @DontInline
    private static void tookSlowly(int cell, long nanos) {
        final long[] cells = own(cell);
        if (cells != null) {
            add(cells, cell, nanos);
            return;
        }
        share(cell, 1);
        share(cell + 1, nanos);
        share(cell + bucket(nanos), 1);
        final long[] shared = SHARED[cell >>> 8];
        final long at = CELL0 + 8L * (1 + 2 + (cell & 0xff));
        for (long was; (was = UNSAFE.getLongVolatile(shared, at)) < nanos; ) {
            if (UNSAFE.compareAndSetLong(shared, at, was, nanos)) {
                break;
            }
        }
    }

    private static void share(int cell, long more) {
        final long[] shared = SHARED[(cell & 0x7f00) >>> 8];
        final long at = CELL0 + 8L * (1 + (cell & 0xff));
        long was;
        do {
            was = UNSAFE.getLongVolatile(shared, at);
        } while (!UNSAFE.compareAndSetLong(shared, at, was, was + more));
    }

    /** The cells of the thread that runs this one; null if its row belongs to another one. */
    private static long[] own(int cell) {
        final Thread thread = CARRIERS ? DdmTrackerCarrier.thread() : Thread.currentThread();
        final long tid = UNSAFE.getLong(thread, TID);
        final int row = (int) tid & 0xff;
        final int at = (cell & 0x7f00) | row;
        long[] cells = CELLS[at];
        if (cells != null && cells[0] == tid) {
            return cells;
        }
        final Thread owner = OWNERS[row];
        if (owner != thread) {
            if (owner != null && UNSAFE.getLongVolatile(owner, EETOP) != 0) {
                return null;
            }
            if (!UNSAFE.compareAndSetReference(OWNERS, OWNER0 + OWNER_SIZE * row, owner, thread)) {
                return null;
            }
        }
        if (cells == null) {
            try {
                cells = new long[CHUNK + 1];
            } catch (OutOfMemoryError full) {
                return null;
            }
        }
        cells[0] = tid;
        CELLS[at] = cells;
        return cells;
    }

    /** The sums of cells from `first` on; the agent asks. */
    static void read(int first, long[] into) {
        for (int i = 0; i < into.length; i++) {
            final int cell = first + i;
            long sum = SHARED[cell >>> 8][1 + (cell & 0xff)];
            for (int row = 0; row < ROWS; row++) {
                final long[] cells = CELLS[(cell & 0x7f00) | row];
                sum += cells == null ? 0 : cells[1 + (cell & 0xff)];
            }
            into[i] = sum;
        }
    }

    /** The largest value of a cell in all rows. */
    static long largest(int cell) {
        long most = SHARED[cell >>> 8][1 + (cell & 0xff)];
        for (int row = 0; row < ROWS; row++) {
            final long[] cells = CELLS[(cell & 0x7f00) | row];
            if (cells != null && cells[1 + (cell & 0xff)] > most) {
                most = cells[1 + (cell & 0xff)];
            }
        }
        return most;
    }

    /** Before cells are used again. */
    static void clear(int first, int count) {
        for (int cell = first; cell < first + count; cell++) {
            SHARED[cell >>> 8][1 + (cell & 0xff)] = 0;
            for (int row = 0; row < ROWS; row++) {
                final long[] cells = CELLS[(cell & 0x7f00) | row];
                if (cells != null) {
                    cells[1 + (cell & 0xff)] = 0;
                }
            }
        }
    }

    static void open(int cell, boolean wanted) {
        OPEN[cell] = wanted;
    }

    /** Threads that have ended are kept by nothing here. */
    static void forgetThreads() {
        for (int row = 0; row < ROWS; row++) {
            final Thread owner = OWNERS[row];
            if (owner != null && UNSAFE.getLongVolatile(owner, EETOP) == 0) {
                UNSAFE.compareAndSetReference(OWNERS, OWNER0 + OWNER_SIZE * row, owner, null);
            }
        }
    }

    @Hidden @ForceInline
    public static void hit(int cell) {
        if (OPEN[cell & 0x7fff]) {
            hit0(cell);
        }
    }

    @Hidden @ForceInline
    public static void hit(int cell, boolean holds) {
        if (holds) {
            hit(cell);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, long value) {
        if (OPEN[cell & 0x7fff]) {
            long0(cell, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, long value, boolean holds) {
        if (holds) {
            value(cell, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, double value) {
        if (OPEN[cell & 0x7fff]) {
            double0(cell, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, double value, boolean holds) {
        if (holds) {
            value(cell, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, Object value) {
        if (OPEN[cell & 0x7fff]) {
            object0(cell, which, value);
        }
    }

    @Hidden @ForceInline
    public static void value(int cell, int which, Object value, boolean holds) {
        if (holds) {
            value(cell, which, value);
        }
    }

    /** Relations: 0 ==, 1 !=, 2 &lt;, 3 &lt;=, 4 &gt;, 5 &gt;=. */
    @ForceInline
    public static boolean test(long left, int relation, long right) {
        return relation == 0 ? left == right : relation == 1 ? left != right
                : relation == 2 ? left < right : relation == 3 ? left <= right
                : relation == 4 ? left > right : left >= right;
    }

    @ForceInline
    public static boolean test(double left, int relation, double right) {
        return relation == 0 ? left == right : relation == 1 ? left != right
                : relation == 2 ? left < right : relation == 3 ? left <= right
                : relation == 4 ? left > right : left >= right;
    }

    @ForceInline
    public static boolean test(Object left, int relation) {
        return (left == null) == (relation == 0);
    }

    @ForceInline
    public static boolean test(Object left, int relation, String right) {
        return (left != null && equal0(left, right)) == (relation == 0);
    }

    @Hidden private static native void hit0(int cell);
    @Hidden private static native void long0(int cell, int which, long value);
    @Hidden private static native void double0(int cell, int which, double value);
    @Hidden private static native void object0(int cell, int which, Object value);
    @Hidden private static native boolean equal0(Object left, String right);

    /**
     * Links the class below, in whose ClassPrepare event the agent registers the natives: then there
     * are two frames of java.base on the stack, without which the VM would print a warning.
     */
    static void link() { touch(); }

    private static void touch() { DdmTrackerSinksLink.touch(); }
}
