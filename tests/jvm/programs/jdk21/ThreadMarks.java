// Objects whose size names the thread that makes them: virtual threads "v-0" ... make byte[1000 + 8i],
// yielding in between, and platform threads "p-0" ... byte[20000 + 8i], all at the same time.
// Arguments: threads of each kind, objects of each thread.
import java.util.ArrayList;
import java.util.List;

public class ThreadMarks {
    static volatile Object kept;

    static void work(int bytes, int objects) {
        for (int i = 0; i < objects; i++) {
            kept = new byte[bytes];
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]), objects = Integer.parseInt(args[1]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int at = i;
            all.add(Thread.ofVirtual().name("v-" + i).start(() -> work(1000 + 8 * at, objects)));
            all.add(Thread.ofPlatform().name("p-" + i).start(() -> work(20000 + 8 * at, objects)));
        }
        for (Thread thread : all) thread.join();
    }
}
