/** Recursions that end the stack, in and beside synchronized code. */
public class Overflowing {
    private static final Object LOCK = new Object();
    private static int calls;

    static int inside(int depth) {
        synchronized (LOCK) {
            calls++;
            return inside(depth + 1) + 1;
        }
    }

    static int beside(int depth) {
        synchronized (LOCK) {
            calls++;
        }
        return beside(depth + 1) + 1;
    }

    static int overflows(boolean inside) {
        int overflows = 0;
        for (int i = 0; i < 20; i++) {
            try {
                overflows += inside ? inside(0) : beside(0);
            } catch (StackOverflowError expected) {
                overflows++;
            }
        }
        return overflows;
    }

    /** "20 20 false": each recursion ended by an error, and the lock is free. */
    public static String run() {
        return overflows(true) + " " + overflows(false) + " " + Thread.holdsLock(LOCK);
    }
}
