import java.util.function.IntUnaryOperator;

/** Methods of every kind. */
public class Guest {
    interface Shape {
        default int area(int side) {
            return side * side;
        }

        static int corners() {
            return 4;
        }

        int sides();
    }

    abstract static class Half implements Shape {
        abstract int whole();
    }

    static class Square extends Half {
        public int sides() {
            return 4;
        }

        int whole() {
            return 1;
        }
    }

    static int made;

    static {
        made = 5;
    }

    static native void elsewhere();

    static synchronized int locked(int n) {
        return n + made;
    }

    synchronized int lockedToo(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("below");
        }
        return n + made;
    }

    static int inside(int n) {
        return n + 1;
    }

    static int loop(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum = inside(sum);
        }
        return sum;
    }

    public static String run() {
        Square square = new Square();
        Guest guest = new Guest();
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            int more = i;
            IntUnaryOperator add = n -> n + more;
            sum += square.area(i) + Shape.corners() + add.applyAsInt(i) + locked(i) + guest.lockedToo(i)
                    + square.sides() + square.whole();
        }
        try {
            guest.lockedToo(-1);
        } catch (IllegalArgumentException expected) {
            sum++;
        }
        return sum + "," + loop(1000);
    }

    /** Calls nothing but what it may not find. */
    public static String name() {
        return "guest";
    }
}
