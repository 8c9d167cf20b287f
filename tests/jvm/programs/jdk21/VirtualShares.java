/**
 * VirtualShares MILLISECONDS [stay]: a named virtual thread that spins for so long, by the wall clock;
 * with a second argument once a line has come, and the program ends with the next one.
 */
public class VirtualShares {
    static volatile double sink;

    static void spin(long ms) {
        long end = System.nanoTime() + ms * 1_000_000;
        double x = 1;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; i++) {
                x += Math.sqrt(x);
            }
        }
        sink = x;
    }

    public static void main(String[] args) throws Exception {
        long ms = Long.parseLong(args[0]);
        if (args.length > 1) {
            System.out.println("ready");
            System.in.read();
        }
        Thread.ofVirtual().name("spinner").start(() -> spin(ms)).join();
        if (args.length > 1) {
            System.out.println("done");
            System.in.read();
        }
    }
}
