import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A full cache and a leak that are filled on one line, with objects of the same classes. */
final class OneLine {
    static final class Item {
        long value;
    }

    static final int FULL = 20_000;
    static final Map<Integer, Item> CACHE = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Item> eldest) {
            return size() > FULL;
        }
    };
    static final Map<Integer, Item> GROWS = new HashMap<>();

    static void put(int n) {
        CACHE.put(n, new Item()); if (n % 20 == 0) GROWS.put(n / 20, new Item());
    }

    public static void main(String[] arguments) throws Exception {
        Thread end = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (java.io.IOException e) {
                // the end, too
            }
            System.exit(0);
        });
        end.setDaemon(true);
        end.start();
        int made = 20 * 128;  // all keys are above the boxes that are shared
        for (int i = 0; i < FULL; i++) put(made++);
        System.out.println("ready");
        while (true) {
            for (int i = 0; i < 200; i++) put(made++);
            Thread.sleep(10);
        }
    }
}
