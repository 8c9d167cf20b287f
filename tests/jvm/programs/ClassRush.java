import java.io.InputStream;
import java.util.ArrayDeque;

/** Loads classes as fast as two threads can, each with a thousand objects, until its input ends. */
public class ClassRush {
    public static class Thing {
        int a;
        long b;

        static final Object[] KEPT = new Object[1000];

        static {
            for (int i = 0; i < KEPT.length; i++) {
                KEPT[i] = new Thing();
            }
        }
    }

    static void load(byte[] code) {
        ArrayDeque<Object> latest = new ArrayDeque<>();
        try {
            while (true) {
                Class<?> thing = new ClassLoader(ClassRush.class.getClassLoader()) {
                    Class<?> define() {
                        return defineClass("ClassRush$Thing", code, 0, code.length);
                    }
                }.define();
                latest.add(thing.getDeclaredConstructor().newInstance());
                if (latest.size() > 500) {
                    latest.poll();
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] code;
        try (InputStream in = ClassRush.class.getResourceAsStream("/ClassRush$Thing.class")) {
            code = in.readAllBytes();
        }
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(() -> load(code));
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
    }
}
