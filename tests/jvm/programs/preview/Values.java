import java.util.Optional;

/** Objects without an identity (JEP 401), made so that each has to lie on the heap. */
public class Values {
    value record P(int x, int y) {
    }

    /** Branches while fields are still unset. */
    static value class Branchy {
        final int a;
        final long b;

        Branchy(int n) {
            if (n % 2 == 0) {
                a = n;
            } else {
                a = -n;
            }
            b = n > 10 ? 1 : 2;
            super();
        }

        int sum() {
            try {
                return (int) (a + b) / (a == 7 ? 0 : 1);
            } catch (ArithmeticException e) {
                return 0;
            }
        }
    }

    /** An identity class with a value in a field. */
    static class Holder {
        P p;

        Holder(P p) {
            this.p = p;
        }
    }

    static Object sink;

    static void pairs(int n) {
        for (int i = 0; i < n; i++) sink = new P(i, i + 1);
    }

    static void branchy(int n) {
        for (int i = 0; i < n; i++) sink = new Branchy(i);
    }

    static void boxes(int n) {
        for (int i = 0; i < n; i++) sink = Integer.valueOf(1000 + i);
    }

    static void optionals(int n) {
        for (int i = 0; i < n; i++) sink = Optional.of("x");
    }

    static void holders(int n) {
        for (int i = 0; i < n; i++) sink = new Holder(new P(i, i));
    }

    static long flat(int n) {
        P[] all = new P[1000];
        for (int i = 0; i < all.length; i++) all[i] = new P(i, i);
        long sum = 0;
        for (int i = 0; i < n; i++) {
            P p = all[i % all.length];
            sink = p;
            sum += p.x();
        }
        return sum;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        pairs(n);
        branchy(n);
        boxes(n);
        optionals(n);
        holders(n);
        long sum = flat(n) + ((Branchy) new Branchy(3)).sum();
        System.out.println("made " + n + " sum " + sum);
    }
}
