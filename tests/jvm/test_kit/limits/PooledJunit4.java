package limits;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** What a pool does for a test is the test's, whoever has started it. */
public class PooledJunit4 {
    private static ExecutorService pool;

    @BeforeClass
    public static void start() throws Exception {
        pool = Executors.newFixedThreadPool(1);
        pool.submit(() -> LimitedJupiter.make(1)).get();
    }

    @AfterClass
    public static void stop() {
        pool.shutdown();
    }

    @Test
    public void usesIt() throws Exception {
        pool.submit(() -> LimitedJupiter.make(100)).get();
    }
}
