import java.io.File;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;

/**
 * What each object of some classes holds, as VisualVM's library computes it, and the field next to its
 * root on the way from there: class, bytes, class or static field.
 */
final class HeldFacts {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        for (int i = 1; i < args.length; i++) {
            JavaClass type = heap.getJavaClassByName(args[i]);
            for (Instance object : type.getInstances()) {
                System.out.println(args[i] + '\t' + object.getRetainedSize() + '\t'
                        + (object.getNearestGCRootPointer() != null ? "held" : "free"));
            }
        }
    }
}
