import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * A Java agent with a fault: retransformed, the method of a class Brittle that returned 77 returns
 * what is no int, so that the VM refuses the class.
 */
public final class BreakingAgent {
    private BreakingAgent() {
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                return redefined != null && name.endsWith("Brittle") ? broken(bytes) : null;
            }
        }, true);
    }

    /** bipush 77, ireturn: aconst_null, nop, ireturn. */
    static byte[] broken(byte[] bytes) {
        byte[] other = bytes.clone();
        for (int i = 0; i + 2 < other.length; i++) {
            if (other[i] == 16 && other[i + 1] == 77 && other[i + 2] == (byte) 172) {
                other[i] = 1;
                other[i + 1] = 0;
                return other;
            }
        }
        return null;
    }
}
