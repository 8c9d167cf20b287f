import java.util.ArrayList;
import java.util.List;

/**
 * Objects of 64 stacks in a static list, and some that only a field of java.lang.Class holds, more all
 * the time. Ends with its input.
 */
final class ManyLeaks {
    static final int LEVELS = 6;

    static final class Item {
    }

    static final class OfClass {
        final byte[] large = new byte[10_000];
    }

    static final List<Object> ITEMS = new ArrayList<>();
    static final List<ClassValue<OfClass>> VALUES = new ArrayList<>();

    static void zero(int bits, int level) {
        next(bits, level);
    }

    static void one(int bits, int level) {
        next(bits, level);
    }

    static void next(int bits, int level) {
        if (level == 0) {
            ITEMS.add(new Item());
        } else if (bits % 2 == 0) {
            zero(bits / 2, level - 1);
        } else {
            one(bits / 2, level - 1);
        }
    }

    static void grow() {
        for (int i = 0; i < 1 << LEVELS; i++) next(i, LEVELS);
        ClassValue<OfClass> value = new ClassValue<>() {
            @Override protected OfClass computeValue(Class<?> of) {
                return new OfClass();
            }
        };
        value.get(ManyLeaks.class);
        VALUES.add(value);
    }

    public static void main(String[] arguments) throws Exception {
        Thread grows = new Thread(() -> {
            while (true) {
                grow();
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        grows.setDaemon(true);
        grows.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            Thread.yield();
        }
    }
}
