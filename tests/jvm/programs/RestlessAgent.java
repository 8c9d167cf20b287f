import java.io.FileOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;

/**
 * A Java agent that changes nothing and never ends: retransforms and redefines classes of the
 * program and of the JDK in rounds, giving back the bytes that it was given. Its argument is a
 * file, which gets a byte after each round; at the exit it says "restless N" on stderr, their number.
 *
 * A pause follows each round, three times as long: the VM visits all classes for each class that it
 * redefines (JDK 25 their resolved methods too), and a redefined class links its lambdas anew, each
 * a further class. Without pauses a slow program has more classes with each round and comes to a stop.
 */
public class RestlessAgent {
    static volatile int rounds;
    static volatile boolean stop;

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                return redefined == null ? null : bytes.clone();
            }
        }, true);
        Thread thread = new Thread(() -> {
            try {
                while (!stop) round(instrumentation, arguments);
            } catch (Throwable e) {
                if (!stop) e.printStackTrace();
            }
        }, "restless");
        thread.setDaemon(true);
        thread.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop = true;
            System.err.println("restless " + rounds);
        }));
    }

    static void round(Instrumentation instrumentation, String file) throws Exception {
        long begin = System.nanoTime();
        instrumentation.retransformClasses(ArrayList.class, HashMap.class, String.class,
                StringBuilder.class, Object.class);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (!loaded.getName().startsWith("ToggleLoad")) continue;
            if (!instrumentation.isModifiableClass(loaded)) continue;  // arrays, hidden classes
            // Those that it loads without end would make a round last without end.
            if (loaded.getClassLoader() != ClassLoader.getSystemClassLoader()) continue;
            instrumentation.retransformClasses(loaded);
            try (InputStream in = loaded.getClassLoader().getResourceAsStream(loaded.getName() + ".class")) {
                if (in != null) instrumentation.redefineClasses(new ClassDefinition(loaded, in.readAllBytes()));
            }
        }
        rounds++;
        try (FileOutputStream out = new FileOutputStream(file, true)) {
            out.write('.');
        }
        Thread.sleep(Math.max(20, 3 * (System.nanoTime() - begin) / 1_000_000));
    }
}
