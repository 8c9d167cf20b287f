import java.lang.management.ManagementFactory;
import java.util.Scanner;

/**
 * Does what the lines on stdin say and answers each with "done": "before N" and "after N" allocate
 * objects of classes that are there from the start, or loaded when first asked for; "fill" uses up
 * the thread's allocation buffer. Prints "ready" at the start.
 */
public class Attached {
    static class Before implements Cloneable {
        Before[] more;
        Before() { more = new Before[3]; }
        Before copy() throws CloneNotSupportedException { return (Before) clone(); }
    }

    /** Not loaded before the first "after". */
    static class After {
        final After[][] more = new After[2][1];
    }

    static volatile Object sink;

    static void before(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            Before made = new Before();
            sink = made;
            sink = made.copy();
        }
    }

    static void after(int n) {
        for (int i = 0; i < n; i++) sink = new After();
    }

    public static void main(String[] args) throws Exception {
        // Before.class is linked and its code has run; and java.base has loaded native libraries,
        // as in most programs.
        before(1);
        ManagementFactory.getThreadMXBean().getThreadCount();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            String what = in.next();
            switch (what) {
                case "before": before(in.nextInt()); break;
                case "after": after(in.nextInt()); break;
                case "fill": for (int i = 0; i < 1000; i++) sink = new byte[100_000]; break;
                default: throw new IllegalArgumentException(what);
            }
            System.out.println("done");
        }
        System.out.println("ends");
    }
}
