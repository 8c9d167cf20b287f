import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent for the program Moving: each round() puts a few more or fewer instructions in front
 * of its methods. With the argument "slow" it takes its time, so that the program runs on for a
 * while between the transformation and the moment when the VM installs the new code.
 */
public class MovingAgent {
    static Instrumentation instrumentation;
    static boolean slow;
    static volatile int moved;

    public static void count() { moved++; }

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
        slow = "slow".equals(arguments);
        given.addTransformer(new ClassFileTransformer() {
            @Override public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                return redefined != null && name.equals("Moving") ? rewrite(bytes) : null;
            }
        }, true);
    }

    static int rounds;

    public static void round() throws Exception {
        rounds++;
        instrumentation.retransformClasses(Class.forName("Moving"));
        if (slow) Thread.sleep(20);
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override public MethodVisitor visitMethod(int access, String name, String descriptor,
                    String signature, String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                if (name.equals("main") || name.startsWith("<") || name.startsWith("lambda")) return next;
                return new MethodVisitor(Opcodes.ASM9, next) {
                    @Override public void visitCode() {
                        super.visitCode();
                        for (int i = 0; i < 1 + rounds % 7; i++) {
                            visitMethodInsn(Opcodes.INVOKESTATIC, "MovingAgent", "count", "()V", false);
                        }
                    }
                };
            }
        }, 0);
        try {
            if (slow) Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return writer.toByteArray();
    }
}
