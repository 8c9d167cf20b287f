import java.lang.instrument.Instrumentation;

/** A Java agent that halts the VM with status 7 after as many milliseconds as its argument says. */
public class HaltingAgent {
    public static void premain(String arguments, Instrumentation instrumentation) {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(Long.parseLong(arguments));
            } catch (InterruptedException never) {
                return;
            }
            Runtime.getRuntime().halt(7);
        });
        thread.setDaemon(true);
        thread.start();
    }
}
