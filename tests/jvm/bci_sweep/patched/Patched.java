import java.util.function.IntUnaryOperator;

/** What is patched: a method for each kind of site, see patches.txt. */
public class Patched {
    static int total;
    static long wide;
    static String name = "static";
    int number;
    double ratio;
    Patched next;

    Patched(int number) {
        this.number = number;
    }

    /** Calls the other constructor. */
    Patched(String text) {
        this(text.length());
        ratio = 0.5;
    }

    Patched(boolean fail) {
        super();
        number = 8;
        if (fail) {
            throw new IllegalStateException("asked");
        }
    }

    static int loopToStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static int busy(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    int anInt() {
        return 40_000;
    }

    long aLong() {
        return 1L << 40;
    }

    static float aFloat() {
        return 1.5f;
    }

    static double aDouble() {
        return 2.25;
    }

    String aString() {
        return "text";
    }

    void nothing() { }

    static int fails(int n) {
        try {
            if (n == 0) {
                throw new IllegalArgumentException("zero");
            }
            return 10 / (n - 1);
        } catch (IllegalArgumentException caught) {
            return -1;
        } finally {
            total++;
        }
    }

    static int fields(Patched p) {
        p.number = p.number + 1;
        p.ratio = p.ratio * 2;
        p.next = p;
        total = total + 1;
        wide = wide + 5;
        return p.next.number;
    }

    static void locks(Object lock) {
        synchronized (lock) {
            total++;
        }
    }

    synchronized int locked(boolean fail) {
        if (fail) {
            throw new IllegalStateException("locked");
        }
        return 1;
    }

    static synchronized int lockedClass() {
        return 2;
    }

    static int allocations() {
        String made = new String(new StringBuilder("a").append(new Patched(3).number).toString());
        new Patched(4);
        Object[] objects = new Object[2];
        int[] ints = new int[5];
        long[][] longs = new long[2][3];
        Patched[][] open = new Patched[6][];
        return made.length() + objects.length + ints.length + longs.length + open.length;
    }

    static Patched chosen(boolean first) {
        return new Patched(first ? 10 : 20);
    }

    static int calls(Patched p) {
        int a = p.add(1, 2L, "three");
        long b = Math.max(4L, 5L);
        String c = p.aString();
        p.nothing();
        return a + (int) b + c.length();
    }

    int add(int a, long b, String c) {
        int sum = a + (int) b;
        sum += c.length();
        return sum;
    }

    int arguments(byte a, char b, long c, float d, double e, String f, boolean g) {
        a++;
        return a;
    }

    static int overwritten(Object first) {
        first = "other";
        return first.hashCode() & 1;
    }

    static int conditions(int n, String text, double d) {
        return n;
    }

    static int jump(int n) {
        switch (n) {
            case 1:
                return 10;
            case 2:
                n += 5;
            default:
                return n;
        }
    }

    static int inLambda(int n) {
        IntUnaryOperator twice = x -> x * 2;
        return twice.applyAsInt(n);
    }

    interface Shape {
        default int area() {
            return side() * side();
        }

        int side();

        static Shape square(int side) {
            return () -> side;
        }
    }

    static int shapes() {
        return Shape.square(3).area();
    }

    static class Initialised {
        static final int[] TABLE = new int[3];
    }

    static native int noCode();
}
