import java.util.ArrayList;
import java.util.List;

/**
 * Code shapes that a rewriter gets wrong easily. Java 1.4 source, so that ecj can make old class
 * files (with jsr and ret) of it.
 */
public class Scenarios {
    static int loopToStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static int arrays() {
        int[] numbers = new int[3];
        Object[] objects = new Object[2];
        long[][][] cube = new long[2][3][4];
        int[][] open = new int[5][];
        return numbers.length + objects.length + cube.length + open.length;
    }

    static int tableSwitch(int value) {
        switch (value) {
            case 0: return new int[1].length;
            case 1: return new int[2].length;
            case 2: value += new byte[10].length;
            case 3: return value;
            default: return -1;
        }
    }

    static int lookupSwitch(int value) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            switch (value) {
                case -1000: sum += new int[4].length; break;
                case 7: sum += 100; continue;
                case 1000000: sum += 1000; break;
                default: sum += 5;
            }
            sum++;
        }
        return sum;
    }

    static int finallyReturn(boolean fail, int[] log) {
        try {
            if (fail) {
                throw new IllegalStateException("asked");
            }
            return log[0] = 1;
        } finally {
            log[1] += new char[7].length;
        }
    }

    static int caught(int[] log) {
        try {
            return finallyReturn(true, log);
        } catch (IllegalStateException expected) {
            return 42;
        }
    }

    static synchronized int locked(Object lock, boolean fail) {
        synchronized (lock) {
            if (fail) {
                throw new RuntimeException(String.valueOf(new char[] {'x'}));
            }
            synchronized (Scenarios.class) {
                return 9;
            }
        }
    }

    static long wide(long a, double b, int c) {
        long sum = a;
        double product = b;
        for (int i = 0; i < c; i++) {
            sum += new long[i].length;
            product *= 2.0;
        }
        return sum + (long) product;
    }

    static double half(double value) {
        return value / 2;
    }

    static float third(float value) {
        return value / 3;
    }

    static int deep(int n) {
        if (n == 0) {
            throw new ArithmeticException("bottom");
        }
        return deep(n - 1) + 1;
    }

    static Object cloned() {
        int[] original = {1, 2, 3};
        return original.clone();
    }

    static class Base {
        final Object[] parts;

        Base(Object[] parts, boolean fail) {
            this.parts = parts;
            if (fail) {
                throw new IllegalArgumentException("base");
            }
        }
    }

    static class Derived extends Base {
        int after;

        Derived(boolean big, boolean failBase, boolean failHere) {
            super(big ? new Object[] {new int[2], new int[3]} : new Object[0], failBase);
            after = new int[8].length;
            if (failHere) {
                throw new IllegalStateException("derived");
            }
        }

        Derived() {
            this(true, false, false);
        }
    }

    class Inner {
        int value = new int[6].length + outer;
    }

    int outer = 4;

    static int inner() {
        Scenarios scenarios = new Scenarios();
        Inner inner = scenarios.new Inner();
        return inner.value;
    }

    static String choose(boolean first, String a, String b) {
        return new StringBuffer(first ? a : b).append(first ? 1 : 2).toString();
    }

    static List nested(int n) {
        List list = new ArrayList();
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; ; j++) {
                if (j > i) {
                    continue outer;
                }
                if (i + j > 6) {
                    break outer;
                }
                list.add(new int[] {i, j});
            }
        }
        return list;
    }
}
