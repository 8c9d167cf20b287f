import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Has one place of each kind that can be patched, and does on request what it is told: "run" goes
 * once through all of them and says what was handed to Seen, "code" says what the VM runs (with
 * the agent of tests/jvm/patch).
 */
public final class Instrumented {
    /** What patches of documents call. */
    static final class Seen {
        static final List<String> ALL = new ArrayList<>();

        private Seen() {
        }

        static void number(long value) {
            ALL.add(Long.toString(value));
        }

        static void real(double value) {
            ALL.add(Double.toString(value));
        }

        static void object(Object value) {
            ALL.add(value == null ? "null" : value.getClass().getSimpleName());
        }

        static void numbers(int first, int second) {
            ALL.add(first + "/" + second);
        }
    }

    static int statics;
    int field;

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
            } else if (line.startsWith("code ")) {
                String code = Patching.code(Class.forName(line.substring(5)));
                System.out.println(code.replace('\n', ';'));
            }
        }
    }
}
