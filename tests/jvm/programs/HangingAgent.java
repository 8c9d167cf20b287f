import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A Java agent that hangs when the class Instrumented is retransformed, until there is a file. */
public final class HangingAgent {
    private HangingAgent() {
    }

    public static void premain(String file, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                if (redefined != null && name.equals("Instrumented")) wait(file);
                return null;
            }

            void wait(String file) {
                try {
                    while (!new File(file).exists()) Thread.sleep(50);
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
        }, true);
    }
}
