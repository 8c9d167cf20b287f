import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Has one place of each kind that can be patched, and does on request what it is told: "run" goes
 * once through all of them and says what was handed to Seen; for the rest see Guests.
 */
public final class Instrumented {
    /** What patches of documents call. */
    public static class Seen {
        static final List<String> ALL = new ArrayList<>();

        public static void number(long value) {
            ALL.add(Long.toString(value));
        }

        public static void real(double value) {
            ALL.add(Double.toString(value));
        }

        public static void object(Object value) {
            ALL.add(value == null ? "null" : value.getClass().getSimpleName());
        }

        public static void numbers(int first, int second) {
            ALL.add(first + "/" + second);
        }

        public static void chosen(long value, boolean holds) {
            if (holds) {
                ALL.add(Long.toString(value));
            }
        }

        protected static void onlyForHeirs(long value) {
            ALL.add(Long.toString(value));
        }

        private static void hidden(long value) {
            ALL.add(Long.toString(value));
        }

        public void ofAnObject(long value) {
            hidden(value);
        }
    }

    /** What of Seen is static is its heirs' too. */
    public static final class Heir extends Seen {
    }

    /** No class to call for a patch. */
    public interface Odd {
        static void number(long value) {
            Seen.number(value);
        }
    }

    /** Cannot be initialised. */
    public static final class Broken {
        static final int VALUE = Integer.parseInt("no number");

        private Broken() {
        }

        public static void number(long value) {
            Seen.number(value + VALUE);
        }
    }

    static int statics;
    int field;
    Object none;
    Object some = "some";

    Instrumented(int field) {
        this.field = field;
    }

    static int twice(int n) {
        return 2 * n;
    }

    static long big(long ignored, int n) {
        return n * 10_000_000_000L;
    }

    static double half(int n) {
        return n / 2.0;
    }

    String text() {
        return "text";
    }

    void nothing() {
    }

    static void fails() {
        throw new IllegalStateException("asked");
    }

    static long work() {
        Instrumented one = new Instrumented(3);
        one.field += 2;
        statics = statics + 1;
        int[] numbers = new int[4];
        Object[] objects = new Object[2];
        long[][] both = new long[2][3];
        synchronized (one) {
            numbers[0] = 1;
        }
        long sum = objects.length + both.length;
        for (int i = 0; i < 5; i++) {
            sum += twice(i);
        }
        return sum;
    }

    static void run() {
        work();
        big(7, 3);
        half(5);
        Instrumented one = new Instrumented(1);
        one.text();
        one.nothing();
        try {
            fails();
        } catch (IllegalStateException expected) {
            statics++;
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        // No try: HotSpot 17 gives a constant of the code that only it uses a new number when the
        // class is retransformed, whoever asks for it.
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("run")) {
                Seen.ALL.clear();
                run();
                System.out.println(String.join(" ", Seen.ALL));
            } else {
                System.out.println(Guests.answer(line.split(" ")));
            }
        }
    }
}
