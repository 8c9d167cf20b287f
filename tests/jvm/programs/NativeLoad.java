import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Uses malloc as it is told to, line by line: `load PATH`, `leak FUNCTION COUNT SIZE`,
 * `later PATH COUNT SIZE`, `plugin PATH COUNT`, `blocks COUNT`, `direct COUNT SIZE`, `totals`,
 * `churn THREADS MILLIS`, `work ROUNDS`, `index TEXTS`, `gc`, `run PROGRAM`.
 */
public class NativeLoad {
    static native void leak(String how, int count, int size);

    static native boolean leakLater(String path, int count, int size);

    static native boolean plugin(String path, int count);

    static native void blocks(int count);

    static native long[] totals();

    static native long work(long rounds);

    static native long index(long texts);

    /** CPU time of the calling thread. */
    static native long cpuNanos();

    static void leakFromJava(String how, int count, int size) {
        leak(how, count, size);
    }

    static final List<ByteBuffer> BUFFERS = new ArrayList<>();

    static void direct(int count, int size) {
        for (int i = 0; i < count; i++) {
            BUFFERS.add(ByteBuffer.allocateDirect(size));
        }
    }

    static void churn(int threads, long millis) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                long end = System.nanoTime() + millis * 1_000_000;
                while (System.nanoTime() < end) {
                    work(20_000);
                    Thread shortLived = new Thread(() -> leak("borrow", 100, 5000));
                    shortLived.start();
                    try {
                        shortLived.join();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    static long leastNanos(Runnable task) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 7; i++) {
            long begin = cpuNanos();
            task.run();
            least = Math.min(least, cpuNanos() - begin);
        }
        return least;
    }

    static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "load" -> System.load(words[1]);
            case "leak" -> leakFromJava(words[1], Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]));
            case "later" -> {
                if (!leakLater(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]))) {
                    return "not opened";
                }
            }
            case "plugin" -> {
                if (!plugin(words[1], Integer.parseInt(words[2]))) {
                    return "not opened";
                }
            }
            case "blocks" -> blocks(Integer.parseInt(words[1]));
            case "totals" -> {
                return Arrays.toString(totals());
            }
            case "churn" -> churn(Integer.parseInt(words[1]), Long.parseLong(words[2]));
            case "work" -> {
                work(Long.parseLong(words[1]));
                return "ns " + leastNanos(() -> work(Long.parseLong(words[1])));
            }
            case "index" -> {
                index(Long.parseLong(words[1]));
                return "ns " + leastNanos(() -> index(Long.parseLong(words[1])));
            }
            case "direct" -> direct(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "gc" -> System.gc();
            case "run" -> new ProcessBuilder(words[1]).inheritIO().start().waitFor();
            default -> {
                return "what is " + words[0] + "?";
            }
        }
        return "done";
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(line.split(" ")));
        }
    }
}
