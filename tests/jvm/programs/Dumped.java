import java.io.File;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/**
 * Keeps known objects of known sites and drops others: N from north() called by main(), 2 N from
 * north() called by west(), 3 N from south(). With "end N" it ends then, with "oom N FILE" it
 * fills its heap until that file is there, with "spill N" it fills it from a frame that drops all
 * at the error; else it does what lines on stdin say and answers with "done".
 */
public class Dumped {
    static class Box { int value; Box next; }
    static class Copy implements Cloneable {
        long value;
        Copy copy() throws CloneNotSupportedException { return (Copy) clone(); }
    }
    public static class Made { public Made() { } }
    static class Gone { int value; }

    static final List<Object> kept = new ArrayList<>();
    static volatile Object sink;

    static void north(int n) throws Exception {
        Copy copy = new Copy();
        char[] letters = new char[5];
        for (int i = 0; i < n; i++) {
            kept.add(new Box());
            kept.add(new Box[i % 7]);
            kept.add(new short[i % 11]);
            kept.add(copy.copy());
            kept.add(letters.clone());
            kept.add(Made.class.getConstructor().newInstance());
            kept.add(Array.newInstance(float.class, i % 3));
            sink = new Gone();
        }
        sink = null;
    }

    static void south(int n) throws Exception {
        Copy copy = new Copy();
        char[] letters = new char[50];
        for (int i = 0; i < n; i++) {
            kept.add(new Box());
            sink = new Box();
            kept.add(new Box[3]);
            kept.add(new short[100]);
            kept.add(copy.copy());
            kept.add(letters.clone());
            kept.add(Made.class.getConstructor().newInstance());
            kept.add(Array.newInstance(float.class, 40));
        }
        sink = null;
    }

    /** North's site of boxes once more, from another caller. */
    static void west(int n) throws Exception { north(n); }

    static void keep(int n) throws Exception {
        north(n);
        west(2 * n);
        south(3 * n);
    }

    static void parkedHere(Object lock) {
        synchronized (lock) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static void big(int megabytes, int each) {
        for (long i = 0; i < (long) megabytes * 1024 * 1024 / each; i++) kept.add(new byte[each - 16]);
    }

    /** Until nothing fits, and again until somebody has written a file. */
    static void fill(File written) throws InterruptedException {
        List<Object> all = new ArrayList<>();
        kept.add(all);
        for (int length = 100; length > 0; length /= 10) {
            try {
                for (int i = 0; i < 100_000; i++) all.add(new Box[length]);
            } catch (OutOfMemoryError full) {
                sink = null;
            }
        }
        for (int i = 0; i < 6000; i++) {
            try {
                if (written.exists()) break;
                Thread.sleep(10);
            } catch (OutOfMemoryError full) {
                sink = null;
            }
        }
        kept.clear();
    }

    /** Prints how many fitted. */
    static void spill() {
        Object[] last = null;
        int count = 0;
        try {
            for (; ; count++) last = new Object[] {last, new Box[100]};
        } catch (OutOfMemoryError full) {
            last = null;
        }
        System.out.println("spilt " + count);
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> parkedHere(new Object()), "parked");
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) Thread.sleep(1);
        if (args.length > 0) {
            keep(Integer.parseInt(args[1]));
            if (args[0].equals("oom")) fill(new File(args[2]));
            if (args[0].equals("spill")) spill();
            return;
        }
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            int n = Integer.parseInt(words[1]);
            switch (words[0]) {
                case "keep" -> keep(n);
                case "big" -> big(n, Integer.parseInt(words[2]));
                default -> throw new IllegalArgumentException(words[0]);
            }
            System.out.println("done");
        }
    }
}
