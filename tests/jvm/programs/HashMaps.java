import java.util.concurrent.ConcurrentHashMap;

/**
 * `HashMaps MILLIS`: four threads fill and empty a ConcurrentHashMap each, whose own reserved hash
 * of -3 and keys with hashes of -1 to -7 are in registers while blocks are allocated natively.
 */
public class HashMaps {
    record Key(int number) {
        @Override
        public int hashCode() {
            return number % 100 == 0 ? -1 - number % 7 : number;
        }
    }

    static void work(int me, long end) {
        while (System.nanoTime() < end) {
            ConcurrentHashMap<Key, Object> map = new ConcurrentHashMap<>();
            for (int i = 0; i < 5000; i++) {
                map.computeIfAbsent(new Key(i * 4 + me), key -> {
                    if (key.number() % 64 == 1) {
                        java.util.zip.Deflater deflater = new java.util.zip.Deflater();
                        deflater.end();  // malloc and free
                    }
                    return key.hashCode() == -3 ? new int[8] : key;
                });
            }
            for (int i = 0; i < 5000; i++) {
                map.remove(new Key(i * 4 + me));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            int me = i;
            threads[i] = new Thread(() -> work(me, end));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}
