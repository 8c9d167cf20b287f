import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A Java agent that hangs when CLASS is retransformed, until there is FILE: options CLASS:FILE. */
public final class HangingAgent {
    private HangingAgent() {
    }

    public static void premain(String options, Instrumentation instrumentation) {
        String hanging = options.substring(0, options.indexOf(':'));
        String file = options.substring(options.indexOf(':') + 1);
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                if (redefined != null && name.equals(hanging)) wait(file);
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
