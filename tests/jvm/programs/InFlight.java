import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

/**
 * A class whose definition has begun, and waits for its superclass, until a line comes on stdin.
 * Then it is linked and makes 100 Item[]; answers "done".
 */
public class InFlight {
    public static class Item { long a; }

    public static class Base {
        public static volatile Object sink;
    }

    public static class Late extends Base implements Runnable {
        public void run() {
            for (int i = 0; i < 100; i++) sink = new Item[1];
        }
    }

    static final CountDownLatch parsed = new CountDownLatch(1), go = new CountDownLatch(1);

    static class SlowLoader extends ClassLoader {
        SlowLoader() { super(InFlight.class.getClassLoader()); }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("InFlight$Base")) {  // the VM asks for it once it has parsed Late
                parsed.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            if (!name.equals("InFlight$Late")) return super.loadClass(name, resolve);
            try (InputStream in = InFlight.class.getResourceAsStream("InFlight$Late.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                ((Runnable) new SlowLoader().loadClass("InFlight$Late").getDeclaredConstructor().newInstance()).run();
            } catch (ReflectiveOperationException e) {
                e.printStackTrace();
            }
        });
        thread.start();
        parsed.await();
        System.out.println("ready");
        System.in.read();
        go.countDown();
        thread.join();
        System.out.println("done");
        while (System.in.read() != -1) { }
        System.out.println("ends");
    }
}
