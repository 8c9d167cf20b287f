import java.io.InputStream;
import java.util.Random;

/**
 * Allocates as fast as it can until its input ends: small objects that live a while, humongous
 * ones, and classes that are loaded, used and dropped all the time.
 */
public class HeapStress {
    static volatile boolean stop;
    static volatile Object sink;

    public static class Leaf {
        public Object a, b;
        public long c;
        public int[] array = new int[5];
    }

    static class Throwaway extends ClassLoader {
        final byte[] bytes;

        Throwaway(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals("HeapStress$Leaf")) throw new ClassNotFoundException(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static void churnObjects(int seed) {
        Random random = new Random(seed);
        Object[] kept = new Object[20_000];
        while (!stop) {
            int i = random.nextInt(kept.length);
            switch (i % 5) {
                case 0: kept[i] = new byte[random.nextInt(300)]; break;
                case 1: kept[i] = new long[random.nextInt(30)]; break;
                case 2: kept[i] = new Object[] {kept[(i + 1) % kept.length], null}; break;
                case 3: kept[i] = "s" + i; break;
                default: kept[i] = new Leaf();
            }
            if (i == 0) kept[i] = new byte[600_000 + random.nextInt(3_000_000)];
            if (random.nextInt(50_000) == 0) kept = new Object[20_000];
        }
    }

    static void churnClasses(byte[] bytes) {
        try {
            Object[][] kept = new Object[50][];
            for (int round = 0; !stop; round++) {
                Class<?> leaf = new Throwaway(bytes).loadClass("HeapStress$Leaf");
                Object[] objects = new Object[100];
                for (int i = 0; i < objects.length; i++) {
                    objects[i] = i == 0 ? java.lang.reflect.Array.newInstance(leaf, 10)
                            : leaf.getDeclaredConstructor().newInstance();
                }
                kept[round % kept.length] = objects;
                if (round % 300 == 299) System.gc(); // concurrent under G1, by its flags
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes;
        try (InputStream in = HeapStress.class.getResourceAsStream("HeapStress$Leaf.class")) {
            bytes = in.readAllBytes();
        }
        Thread[] threads = {new Thread(() -> churnObjects(1)), new Thread(() -> churnObjects(2)),
            new Thread(() -> churnClasses(bytes))};
        for (Thread thread : threads) thread.start();
        System.out.println("ready");
        while (System.in.read() >= 0) { }
        stop = true;
        for (Thread thread : threads) thread.join();
        System.out.println("ended");
    }
}
