import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What a page has to show: a recursion, the JDK in between, two threads, two lines of one method. */
public class Pages {
    static class Leaf {
        long a;
    }

    static class Job {
        Object held;
    }

    static final List<Object> KEPT = new ArrayList<>();
    static Object last;

    static void recurse(int depth) {
        if (depth == 0) {
            last = new Leaf();
            return;
        }
        recurse(depth - 1);
    }

    static void lines() {
        for (int i = 0; i < 30; ++i) last = new Leaf();
        for (int i = 0; i < 10; ++i) last = new Leaf();
    }

    /** The program, then java.util, then the program again. */
    static void throughTheJdk() {
        List<Supplier<Object>> all = new ArrayList<>();
        all.add(Pages::job);
        all.forEach(one -> {
            for (int i = 0; i < 50; ++i) last = one.get();
        });
    }

    static Object job() {
        return new Job();
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean other = arguments.length > 0;  // what a comparison is about
        for (int i = 0; i < (other ? 5 : 20); ++i) recurse(5);
        if (other) lines();
        lines();
        if (!other) throughTheJdk();
        Thread second = new Thread(() -> {
            for (int i = 0; i < 25; ++i) KEPT.add(new Job());
        }, "other");
        second.start();
        second.join();
    }
}
