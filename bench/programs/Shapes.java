// Stacks of unusual shapes. "recursion N": recursions up to N frames deep, of another depth each time,
// with an object at each hundredth frame on the way up and one at the end. "threads N": N threads at
// once, each of which makes a thousand objects below thirty frames. Prints how many objects it made.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

public class Shapes {
    static final class Node { Object next; }

    static volatile Object sink;
    static final LongAdder made = new LongAdder();

    static void make() {
        sink = new Node();
        made.increment();
    }

    static void left(int depth) {
        if (depth % 100 == 0) make();
        if (depth > 0) {
            if ((depth & 4) == 0) left(depth - 1); else right(depth - 1);
        }
    }

    static void right(int depth) {
        if (depth % 100 == 0) make();
        if (depth > 0) left(depth - 1);
    }

    static void recursion(int deepest) {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) left(deepest / 50 + random.nextInt(deepest - deepest / 50));
    }

    static void below(int depth, int objects) {
        if (depth > 0) {
            below(depth - 1, objects);
        } else {
            for (int i = 0; i < objects; i++) make();
        }
    }

    static void threads(int count) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, () -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    return;
                }
                below(30, 1000);
            }, "shape-" + i, 256 << 10);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[1]);
        if (args[0].equals("threads")) {
            threads(n);
        } else {
            Thread deep = new Thread(null, () -> recursion(n), "deep", 1L << 30);
            deep.start();
            deep.join();
        }
        System.out.println(made.sum());
    }
}
