import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads one class by many loaders, as a server does that is deployed anew: FIRST of them are held by an
 * object in a list, POOLED by one in a local variable of each of as many threads, which have one name.
 * A soft reference holds what refers to more. Ends with its input.
 */
public class Reloads {
    static final int FIRST = 3, POOLED = 4;
    static final int KEPT_BYTES = 100_000;
    static final List<Object> LIST = new ArrayList<>();
    static final SoftReference<Owner> SOFT = new SoftReference<>(new Owner());

    static final class Owner {
        final byte[] owned = new byte[KEPT_BYTES];
    }

    public static class Part {
        public static final List<Object> ALL = new ArrayList<>();

        public Part() {
            ALL.add(new int[10]);
        }
    }

    static final class Loader extends ClassLoader {
        Loader() {
            super(Reloads.class.getClassLoader());
        }

        Object load() throws Exception {
            try (InputStream in = Reloads.class.getResourceAsStream("Reloads$Part.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(null, bytes, 0, bytes.length).getConstructor().newInstance();
            }
        }
    }

    static void work(Object part, Object done) {
        synchronized (done) {
            try {
                done.notify();
                done.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(part.toString(), e);
            }
        }
        System.out.println(part);
    }

    static void start(Object part, String name) throws InterruptedException {
        Object done = new Object();
        Thread thread = new Thread(() -> { }, name) {
            @Override public void run() {
                work(part, done);
            }
        };
        thread.setDaemon(true);
        synchronized (done) {
            thread.start();
            done.wait();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < FIRST; i++) {
            LIST.add(new Loader().load());
        }
        for (int i = 0; i < POOLED; i++) {
            start(new Loader().load(), "worker");
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            Thread.yield();
        }
    }
}
