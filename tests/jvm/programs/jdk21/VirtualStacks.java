import java.util.concurrent.Executors;

/**
 * Virtual threads that wait with stacks of all depths. With Epsilon nothing is ever collected, so
 * the histogram that it prints at the end holds every StackChunk there ever was.
 */
public class VirtualStacks {
    static volatile Object sink;

    static void deep(int left) throws InterruptedException {
        if (left > 0) {
            deep(left - 1);
            sink = new long[2];
        } else {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 3; round++) {
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 1000; i++) {
                    int depth = i % 50;
                    threads.submit(() -> {
                        deep(depth);
                        deep(depth);
                        return null;
                    });
                }
            }
        }
        Process jcmd = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd",
                Long.toString(ProcessHandle.current().pid()), "GC.class_histogram", "-all").start();
        for (String line : new String(jcmd.getInputStream().readAllBytes()).split("\n")) {
            if (line.contains("jdk.internal.vm.StackChunk")) {
                System.out.println(line.trim().split(" +")[2]);
            }
        }
    }
}
