/**
 * Objects of very different sizes, turn and turn about in one thread, as many bytes of each size.
 * Prints "size objects" for each. First argument: bytes of each size.
 */
public final class Sampled {
    static final class Small {
        long a;
        int b;  // 24 bytes, however large headers are
    }

    private static final int[] ARRAYS = {2 << 10, 32 << 10, 256 << 10};
    private static final int HEADER = 16;

    static volatile Object keep;

    private static Object array(int size) {
        return new byte[size - HEADER];
    }

    private static Object small() {
        return new Small();
    }

    public static void main(String[] args) {
        long bytes = Long.parseLong(args[0]);
        int smallSize = 24;
        long[] made = new long[ARRAYS.length];
        long smallMade = 0;
        for (long done = 0; done < bytes; done += ARRAYS[0]) {
            for (int i = 0; i < ARRAYS.length; i++) {
                if (done % ARRAYS[i] == 0) {
                    keep = array(ARRAYS[i]);
                    made[i]++;
                }
            }
            for (int i = 0; i < ARRAYS[0] / smallSize; i++) {
                keep = small();
                smallMade++;
            }
        }
        System.out.println(smallSize + " " + smallMade);
        for (int i = 0; i < ARRAYS.length; i++) {
            System.out.println(ARRAYS[i] + " " + made[i]);
        }
    }
}
