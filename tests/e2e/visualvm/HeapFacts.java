import java.io.File;
import org.graalvm.visualvm.lib.jfluid.heap.GCRoot;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ThreadObjectGCRoot;

/**
 * What VisualVM's own library makes of a heap dump: each class with its instances, the stack of each
 * thread, and how many instances of the class that the second argument names a root leads to.
 */
final class HeapFacts {
    private static final int MOST_STEPS = 100;

    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        for (JavaClass type : heap.getAllClasses()) {
            System.out.println("class\t" + type.getName() + "\t" + type.getInstancesCount());
        }
        System.out.println("all\t" + heap.getSummary().getTotalLiveInstances());
        for (GCRoot root : heap.getGCRoots()) {
            if (root instanceof ThreadObjectGCRoot thread && thread.getStackTrace() != null) {
                StringBuilder line = new StringBuilder("thread");
                for (StackTraceElement frame : thread.getStackTrace()) line.append('\t').append(frame);
                System.out.println(line);
            }
        }
        int reached = 0;
        for (Instance instance : heap.getJavaClassByName(args[1]).getInstances()) {
            if (isReached(instance)) reached++;
        }
        System.out.println("reached\t" + reached);
    }

    private static boolean isReached(Instance instance) {
        Instance above = instance;
        for (int steps = 0; above != null && steps < MOST_STEPS; steps++) {
            if (above.isGCRoot()) return true;
            above = above.getNearestGCRootPointer();
        }
        return false;
    }
}
