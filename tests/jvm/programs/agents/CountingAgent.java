import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that rewrites the program Attached: each use of a local variable counts. At the
 * exit their number goes to stderr: "uses N". The transformer can retransform.
 */
public class CountingAgent {
    public static final AtomicLong uses = new AtomicLong();

    public static void use() { uses.incrementAndGet(); }

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                return name.startsWith("Attached") ? rewrite(bytes) : null;
            }
        }, true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("uses " + uses)));
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override public MethodVisitor visitMethod(int access, String name, String descriptor,
                    String signature, String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9,
                        super.visitMethod(access, name, descriptor, signature, exceptions)) {
                    @Override public void visitVarInsn(int opcode, int variable) {
                        visitMethodInsn(Opcodes.INVOKESTATIC, "CountingAgent", "use", "()V", false);
                        super.visitVarInsn(opcode, variable);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
