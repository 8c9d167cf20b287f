package known;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What threads need that Java 17 does not have. "steady", as in KnownCounts. */
class VirtualCounts {
    @Test
    void virtualThreads() throws InterruptedException { // steady
        List<Thread> threads = new ArrayList<>(20);
        for (int n = 0; n < 20; ++n) {
            threads.add(Thread.ofVirtual().start(() -> {
                KnownCounts.rounds(i -> KnownCounts.SINK[0] = new KnownCounts.Inner());
                Thread.yield();
                KnownCounts.rounds(i -> KnownCounts.SINK[0] = new KnownCounts.Inner());
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void executors() throws Exception { // steady
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < 20; ++n) {
                each.submit(() -> KnownCounts.rounds(i -> KnownCounts.SINK[0] = new KnownCounts.Inner()));
            }
        }
    }

    /** How many of them live at once is a matter of time. */
    @Test
    void manyAtOnce() throws Exception { // steady
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < 100; ++n) {
                each.submit(() -> {
                    KnownCounts.SINK[0] = new KnownCounts.Inner();
                    Thread.sleep(1);
                    return KnownCounts.SINK[0] = new KnownCounts.Inner();
                });
            }
        }
    }
}
