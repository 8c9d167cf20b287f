import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Puts patches into its own classes and those of the JDK, with the agent of tests/jvm/patch, and
 * says what they counted. Argument: what to do; prints "name value" lines.
 */
public class Patching {
    static native int putIn(String patches);
    static native boolean takeOut(int plan);
    static native String report(int plan);
    static native int counter();
    static native int timer();
    static native void giveBack(int cell, boolean timer);
    static native void open(int cell, boolean wanted);
    static native long count(int cell);
    static native long[] times(int cell);
    static native long[] received();
    static native void forgetThreads();
    static native String code(Class<?> of);
    static native boolean retransform(Class<?> of);

    static volatile int sink;

    static int hot(int n) {
        return n * 31 + 7;
    }

    static int throwing(int n) {
        if (n % 4 == 0) {
            throw new IllegalStateException("asked");
        }
        return n;
    }

    static long values(int a, double b, Object c) {
        return a;
    }

    static synchronized void locked() {
        sink++;
    }

    static void say(String name, Object value) {
        System.out.println(name + " " + value);
    }

    static int work(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += hot(i);
        }
        return sum;
    }

    static void onThreads(int threads, Runnable run) throws Exception {
        List<Thread> all = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException stop) {
                    return;
                }
                run.run();
            });
            all.add(thread);
            thread.start();
        }
        start.countDown();
        for (Thread thread : all) {
            thread.join();
        }
    }

    /** Exact on many threads: at once, one after the other, more than there are rows, virtual. */
    static void counts() throws Exception {
        int cell = counter();
        int plan = putIn("ENTER before count(I)V INTEGER=" + cell + " IN=Patching.hot");
        say("report", report(plan).trim());
        onThreads(8, () -> sink = work(1_000_000));
        say("threads", count(cell));
        for (int i = 0; i < 600; i++) {
            onThreads(1, () -> sink = work(1000));
        }
        forgetThreads();
        say("one_by_one", count(cell));
        onThreads(400, () -> sink = work(5000));
        say("many", count(cell));
        if (Runtime.version().feature() >= 21) {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, (Runnable) () -> {
                            for (int k = 0; k < 10; k++) {
                                sink = work(100);
                                Thread.yield();
                            }
                        }));
            }
            for (Thread thread : all) {
                thread.join();
            }
        } else {
            work(2_000_000);
        }
        say("virtual", count(cell));
        takeOut(plan);
        work(1000);
        say("out", count(cell));
    }

    /** A number that is used again begins at zero, and calls of before do not add their time. */
    static void again() throws Exception {
        long wrong = counter() < 0 ? 1 : 0;
        for (int round = 0; round < 5; round++) {
            int cell = counter();
            int time = timer();
            int plan = putIn("ENTER before begin(I)J INTEGER=" + time + " RESULT=t IN=Patching.hot\n"
                    + "EXIT before end(IJ)V INTEGER=" + time + " NEWLOCAL=t IN=Patching.hot\n"
                    + "ENTER before count(I)V INTEGER=" + cell + " IN=Patching.hot");
            onThreads(4, () -> sink = work(100));
            long[] times = times(time);
            wrong += count(cell) == 400 && times[0] == 400 && times[3] == 400 ? 0 : 1;
            takeOut(plan);
            giveBack(cell, false);
            giveBack(time, true);
            // More than there are.
            for (int i = 0; i < 30_000; i++) {
                int other = counter();
                int timer = timer();
                wrong += other < 0 || timer < 0 || i % 100 == 0 && count(other) != 0 ? 1 : 0;
                giveBack(other, false);
                giveBack(timer, true);
            }
        }
        say("wrong", wrong);
    }

    static void times() throws Exception {
        int hot = timer();
        int thrown = timer();
        int plan = putIn(String.join("\n",
                "ENTER before begin(I)J INTEGER=" + hot + " RESULT=t IN=Patching.hot",
                "EXIT before end(IJ)V INTEGER=" + hot + " NEWLOCAL=t IN=Patching.hot",
                "ENTER before begin(I)J INTEGER=" + thrown + " RESULT=t IN=Patching.throwing",
                "EXIT before end(IJ)V INTEGER=" + thrown + " NEWLOCAL=t IN=Patching.throwing",
                "THROW before thrown(IJ)V INTEGER=" + thrown + " NEWLOCAL=t IN=Patching.throwing"));
        onThreads(4, () -> sink = work(100_000));
        onThreads(4, () -> {
            for (int i = 0; i < 1000; i++) {
                try {
                    sink = throwing(i);
                } catch (IllegalStateException asked) {
                    sink++;
                }
            }
        });
        say("hot", Arrays.toString(times(hot)));
        say("thrown", Arrays.toString(times(thrown)));
        takeOut(plan);
    }

    static void handed() {
        int cell = counter();
        int plan = putIn(String.join("\n",
                "ENTER before open(I)I INTEGER=" + cell + " RESULT=r IN=Patching.values",
                "ENTER before value(IIJ)V|(IID)V|(IILjava/lang/Object;)V NEWLOCAL=r"
                        + " ARGNO ARG EACH IN=Patching.values",
                "ENTER before open(IZ)I INTEGER=" + cell
                        + " IF ARG=3 == yes RESULT=s IN=Patching.values",
                "EXIT before value(IIJ)V NEWLOCAL=s INTEGER=0 RETURN IN=Patching.values"));
        values(1000, 1, null);
        say("closed", Arrays.toString(received()));
        open(cell, true);
        values(1, 0.25, "no");
        values(10, 0.5, new String("yes"));
        values(3, 0, null);
        say("open", Arrays.toString(received()));
        open(cell, false);
        values(1, 1, "yes");
        say("closed_again", Arrays.toString(received()));
        takeOut(plan);
    }

    /** The code afterwards is the code before, through any order of plans. */
    static void restored() {
        Class<?>[] classes = {Patching.class, ArrayList.class, HashMap.class, String.class};
        String[] before = new String[classes.length];
        for (int i = 0; i < classes.length; i++) {
            before[i] = code(classes[i]);
        }
        int cell = counter();
        int first = putIn("ENTER before count(I)V INTEGER=" + cell + " IN=java/util/*.add\n"
                + "BLOCK_START before count(I)V INTEGER=" + cell + " IN=java/lang/String.hashCode\n"
                + "CALL before count(I)V INTEGER=" + cell + " IN=Patching.work");
        int second = putIn("ENTER before begin()J RESULT=t IN=java/util/*.*\n"
                + "EXIT before end(IJ)V INTEGER=" + timer() + " NEWLOCAL=t IN=java/util/*.*");
        boolean changed = !code(ArrayList.class).equals(before[1])
                && !code(HashMap.class).equals(before[2]) && !code(String.class).equals(before[3]);
        say("changed", changed);
        new ArrayList<>(List.of(1, 2)).add(3);
        // Another agent retransforms the class meanwhile.
        String patched = code(Patching.class);
        boolean kept = retransform(Patching.class) && code(Patching.class).equals(patched);
        long counted = count(cell);
        sink = work(3);
        say("kept", kept && count(cell) >= counted + 3);
        takeOut(first);
        retransform(Patching.class);
        boolean same = code(String.class).equals(before[3])
                && code(Patching.class).equals(before[0]);
        say("first_out", same && !code(ArrayList.class).equals(before[1]));
        takeOut(second);
        for (int i = 0; i < classes.length; i++) {
            say("restored_" + classes[i].getSimpleName(), code(classes[i]).equals(before[i]));
        }
    }

    /** In and out, while other threads run what is patched. */
    static void rounds(int rounds) throws Exception {
        int cell = counter();
        int time = timer();
        boolean[] stop = {false};
        Thread[] load = new Thread[2];
        for (int i = 0; i < load.length; i++) {
            load[i] = new Thread(() -> {
                HashMap<String, Integer> map = new HashMap<>();
                for (int k = 0; !stop[0]; k++) {
                    map.merge("key" + k % 1000, 1, Integer::sum);
                    sink += work(50) + map.get("key" + k % 1000).hashCode();
                    locked();
                }
            });
            load[i].setDaemon(true);
            load[i].start();
        }
        String before = code(HashMap.class);
        for (int i = 0; i < rounds; i++) {
            int plan = putIn(String.join("\n",
                    "ENTER before count(I)V INTEGER=" + cell + " IN=Patching.*",
                    "ENTER before begin()J RESULT=t IN=java/util/HashMap.*",
                    "EXIT before end(IJ)V INTEGER=" + time + " NEWLOCAL=t IN=java/util/HashMap.*",
                    "THROW before thrown(IJ)V INTEGER=" + time + " NEWLOCAL=t IN=java/util/HashMap.*",
                    "SYNC_ENTER after count(I)V INTEGER=" + cell + " IN=Patching.locked",
                    "BLOCK_START before count(I)V INTEGER=" + cell
                            + " IN=java/lang/String*.hashCode"));
            Thread.sleep(5);
            takeOut(plan);
        }
        stop[0] = true;
        for (Thread thread : load) {
            thread.join();
        }
        long counted = count(cell);
        work(100);
        say("still", count(cell) == counted && counted > 0 && times(time)[3] > 0);
        say("restored", code(HashMap.class).equals(before));
    }

    static double nanosOfHit(int rounds) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 15; i++) {
            long start = System.nanoTime();
            sink = work(rounds);
            best = Math.min(best, System.nanoTime() - start);
        }
        return (double) best / rounds;
    }

    /** What a hit costs, in ns. */
    static void costs() {
        int rounds = 20_000_000;
        double plain = nanosOfHit(rounds);
        int cell = counter();
        int plan = putIn("ENTER before count(I)V INTEGER=" + cell + " IN=Patching.hot");
        double counted = nanosOfHit(rounds);
        takeOut(plan);
        plan = putIn("ENTER before count(IZ)V INTEGER=" + cell + " IF ARG=1 < 0 IN=Patching.hot");
        double conditional = nanosOfHit(rounds);
        takeOut(plan);
        plan = putIn("ENTER before begin()J RESULT=t IN=Patching.hot\n"
                + "EXIT before end(IJ)V INTEGER=" + timer() + " NEWLOCAL=t IN=Patching.hot");
        double timed = nanosOfHit(rounds / 10);
        takeOut(plan);
        plan = putIn("ENTER before open(I)I INTEGER=" + cell + " RESULT=r IN=Patching.hot\n"
                + "ENTER before value(IIJ)V NEWLOCAL=r INTEGER=1 ARG=1 IN=Patching.hot");
        double shut = nanosOfHit(rounds);
        takeOut(plan);
        double out = nanosOfHit(rounds);
        say("costs", String.format("plain %.2f count %.2f false condition %.2f time %.2f "
                + "a value that nobody wants %.2f taken out %.2f", plain, counted - plain, conditional - plain,
                timed - plain, shut - plain, out - plain));
    }

    static void refusals() {
        int plan = putIn("ENTER before count(I)V INTEGER=1 IN=java/lang/Object.hashCode\n"
                + "ENTER before value(IILjava/lang/Object;)V INTEGER=0 INTEGER=1 THIS IN=Patching.hot\n"
                + "ENTER before count(I)V INTEGER=1 IN=java/lang/DdmTracker*.*\n"
                + "ENTER before count(I)V INTEGER=1 IN=Patching.work");
        say("report", report(plan).trim().replace('\n', ';'));
        work(10);
        takeOut(plan);
        say("gone", report(plan).isEmpty() && !takeOut(plan));
    }

    /** A class that is loaded only when the plan is in, and the methods that the sinks stand on. */
    static void late() {
        int cell = counter();
        int plan = putIn(String.join("\n",
                "ENTER before count(I)V INTEGER=" + cell + " IN=Patching$Late.*",
                "ENTER before count(I)V INTEGER=" + counter() + " IN=java/lang/Object.<init>",
                "ENTER before count(I)V INTEGER=" + counter() + " IN=java/lang/Thread.*",
                "ENTER before begin()J RESULT=t IN=java/lang/Long.*",
                "EXIT before end(IJ)V INTEGER=" + timer() + " NEWLOCAL=t IN=java/lang/Long.*",
                "ENTER before count(I)V INTEGER=" + counter() + " IN=jdk/internal/misc/Unsafe.*",
                "ENTER before count(I)V INTEGER=" + counter() + " IN=java/lang/String.*"));
        new Late().run();
        Thread thread = new Thread(() -> sink = work(1000));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
        say("late", count(cell));
        takeOut(plan);
    }

    static class Late {
        static int made = 3;

        void run() {
            sink += made;
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "counts" -> counts();
            case "times" -> times();
            case "again" -> again();
            case "handed" -> handed();
            case "restored" -> restored();
            case "rounds" -> rounds(Integer.parseInt(args[1]));
            case "costs" -> costs();
            case "refusals" -> refusals();
            default -> late();
        }
    }
}
