/** Code of awkward shapes, of which nothing needs a class file newer than version 49. */
public class Plain extends PlainBase {
    static int statics;
    int field;
    Object held;

    /** Branches before its super(). */
    Plain(int n) {
        super(n > 0 ? n : -n);
        field = n;
    }

    Plain() {
        this(7);
    }

    synchronized int locked(int n) {
        return field + n;
    }

    static synchronized int lockedAll(int n) {
        return statics + n;
    }

    /** Its loop goes back to instruction 0. */
    static int down(int n) {
        while (n > 0) {
            n--;
        }
        return n;
    }

    static double wide(long a, int b, double c, Object d) {
        double sum = a + b + c;
        return d == null ? -sum : sum;
    }

    int guarded(int n) {
        try {
            if (n == 2) {
                throw new IllegalStateException("asked");
            }
            field += n;
        } catch (IllegalStateException expected) {
            field--;
        } finally {
            statics++;
        }
        return field;
    }

    static int choose(int n) {
        switch (n) {
            case 1:
                return 10;
            case 2:
                return 20;
            case 1000:
                return 30;
            default:
                return 0;
        }
    }

    long lock(int n) {
        long sum = 0;
        synchronized (this) {
            sum += n;
            synchronized (Plain.class) {
                sum += statics;
            }
        }
        return sum;
    }

    void store(Object what) {
        held = what;
    }

    public static String run() {
        statics = 0;
        String said = "";
        for (int i = 0; i < 3; i++) {
            Plain one = i == 0 ? new Plain() : new Plain(-i);
            one.store(i == 1 ? null : one);
            said += one.made + "," + one.locked(i) + "," + lockedAll(i) + "," + down(10) + ","
                    + (int) wide(1, 2, 3, one.held) + "," + one.guarded(i) + "," + choose(i) + ","
                    + one.lock(i) + ";";
        }
        return said;
    }
}

class PlainBase {
    final int made;

    PlainBase(int made) {
        this.made = made;
    }
}
