import java.util.ArrayList;
import java.util.List;

/**
 * A virtual thread that computes for a while 300 times and moves between two carriers, of which one
 * has used seconds of CPU before. Prints "step NS": the time for which it computed.
 */
public class CarrierHops {
    static volatile long sink;
    static long computed;

    static void compute(long ns) {
        for (long end = System.nanoTime() + ns; System.nanoTime() < end; ) sink++;
    }

    static void step() {
        long begin = System.nanoTime();
        compute(200_000);
        computed += System.nanoTime() - begin;
    }

    static void work() {
        try {
            for (int i = 0; i < 300; i++) {
                step();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void rest() {
        try {
            for (int i = 0; i < 300; i++) {
                compute(100_000);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().start(() -> compute(3_000_000_000L)).join();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 8; i++) others.add(Thread.ofVirtual().start(CarrierHops::rest));
        Thread.ofVirtual().start(CarrierHops::work).join();
        for (Thread one : others) one.join();
        System.out.println("step " + computed);
    }
}
