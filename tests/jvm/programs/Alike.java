import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Threads that hold alike: in a ThreadLocal, in variables, and virtual threads that wait. */
final class Alike {
    static final class InLocal {
        final byte[] data = new byte[500];
    }

    static final class InVariable {
    }

    static final class InVirtual {
    }

    static final ThreadLocal<List<InLocal>> CONTEXT = ThreadLocal.withInitial(ArrayList::new);

    static void serve() {
        while (true) {
            CONTEXT.get().add(new InLocal());
            LockSupport.parkNanos(5_000_000);
        }
    }

    static void hold() {
        InVariable held = new InVariable();
        while (held.hashCode() != -1) LockSupport.park();
    }

    static void holdInVirtual() {
        InVirtual held = new InVirtual();
        while (held.hashCode() != -1) LockSupport.park();
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(5);
        for (int i = 0; i < 5; i++) pool.execute(Alike::serve);
        for (int i = 0; i < 2; i++) new Thread(Alike::hold, "holder " + i).start();
        if (Runtime.version().feature() >= 21) {
            var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            for (int i = 0; i < 50; i++) start.invoke(null, (Runnable) Alike::holdInVirtual);
        } else {
            new InVirtual();
        }
        Thread.sleep(300);
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        System.exit(0);
    }
}
