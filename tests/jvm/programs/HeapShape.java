import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes a heap of N objects of every kind, half of what was made garbage by then, and hands over to
 * the oracle agent: no Java code runs while it is counted.
 */
public class HeapShape {
    static Object[] kept;


    static native void serve();

    static class Node {
        Node next;
        Object value;
    }

    /** What a heap of many small things is made of: nodes, boxes, strings and their bytes. */
    static Object makeSmall(int i, Random random) {
        switch (i % 4) {
            case 0: return new Node();
            case 1: return Long.valueOf(1000 + random.nextInt());
            case 2: return new byte[8 + random.nextInt(24)];
            default: return new StringBuilder(0);
        }
    }

    static Object make(int i, Random random) {
        int length = random.nextInt(6) == 0 ? random.nextInt(200) : random.nextInt(8);
        switch (i % 12) {
            case 0: return new byte[length];
            case 1: return new boolean[length];
            case 2: return new char[length];
            case 3: return new short[length];
            case 4: return new int[length];
            case 5: return new float[length];
            case 6: return new long[length];
            case 7: return new double[length];
            case 8: return new Object[length];
            case 9: return new Object();
            case 10: return new StringBuilder(length);
            default: return new Object[][] {null, null};
        }
    }

    /** Parked virtual threads leave their stacks in the heap, in objects that tell their own size. */
    static void parkVirtualThreads(int count) throws Exception {
        java.lang.reflect.Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return; // before 21
        }
        CountDownLatch parked = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int depth = i;
            start.invoke(null, (Runnable) () -> descend(depth, parked));
        }
        parked.await();
        Thread.sleep(200); // from the latch to the park
    }

    static long descend(int depth, CountDownLatch parked) {
        if (depth > 0) return descend(depth - 1, parked) + 1;
        parked.countDown();
        while (true) LockSupport.park();
    }

    public static void main(String[] args) throws Exception {
        int wanted = Integer.parseInt(args[0]);
        Random random = new Random(42);
        boolean small = args.length > 1;
        kept = new Object[wanted / 1000 + 1];
        for (int chunk = 0; chunk < kept.length; chunk++) {
            Object[] mine = new Object[1000];
            for (int i = 0; i < 1000; i++) {
                if (!small) make(i, random);
                mine[i] = small ? makeSmall(i, random) : make(i, random);
            }
            kept[chunk] = mine;
        }
        List<Object> big = new ArrayList<>(); // humongous under G1
        for (int i = 1; i <= 4 && wanted >= 100_000; i++) big.add(new byte[i * 1_500_000 + 13]);
        big.add(new long[300_000]);
        Object[] last = new Object[kept.length + 1];
        System.arraycopy(kept, 0, last, 0, kept.length);
        last[kept.length] = big;
        kept = last;
        parkVirtualThreads(150);
        System.out.println("ready");
        serve();
    }
}
