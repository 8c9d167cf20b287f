import com.android.ddmlib.AndroidDebugBridge;
import com.android.ddmlib.Client;
import com.android.ddmlib.DdmPreferences;
import com.android.ddmlib.IDevice;
import com.android.ddmlib.ThreadInfo;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Google's ddmlib, unmodified, between a debugger and a JVM. Arguments: the device's serial, the
 * JVM's pid, the first port for debuggers. Says "port N" once a debugger may connect there. For a
 * line "look" it asks the JVM for threads, a stack, heap figures and allocations, and says
 * "WHAT MILLISECONDS" of each answer, then "looked"; for "again" it waits until ddmlib has dropped the
 * JVM's connection and made another one, and says "port N" anew. A line of its own begins with "= ",
 * for ddmlib talks too.
 */
public final class DdmlibDebugger {
    private static final AtomicInteger answered = new AtomicInteger();

    private DdmlibDebugger() { }

    public static void main(String[] args) throws Exception {
        DdmPreferences.setLogLevel("warn");
        int port = Integer.parseInt(args[2]);
        DdmPreferences.setDebugPortBase(port);
        DdmPreferences.setSelectedDebugPort(port + 100);
        AndroidDebugBridge.init(true);
        AndroidDebugBridge.addClientChangeListener((client, mask) -> answered.updateAndGet(m -> m | mask));
        AndroidDebugBridge bridge = AndroidDebugBridge.createBridge();
        int pid = Integer.parseInt(args[1]);
        Callable<Client> find = () -> Arrays.stream(bridge.getDevices())
                .filter(device -> device.getSerialNumber().equals(args[0]))
                .flatMap(device -> Arrays.stream(device.getClients()))
                .filter(client -> client.getClientData().getPid() == pid && client.isDdmAware())
                .findAny().orElse(null);
        Client client = use(await("the client", find));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("again")) {
                Client before = client;
                client = use(await("another client", () -> {
                    Client now = find.call();
                    return now != before ? now : null;
                }));
            } else {
                look(client);
                System.out.println("= looked");
            }
        }
        System.exit(0);
    }

    private static Client use(Client client) throws Exception {
        client.setThreadUpdateEnabled(true);
        await("main", () -> mainThread(client));
        System.out.println("= port " + client.getDebuggerListenPort());
        return client;
    }

    private static ThreadInfo mainThread(Client client) {
        return Arrays.stream(client.getClientData().getThreads())
                .filter(thread -> "main".equals(thread.getThreadName())).findAny().orElse(null);
    }

    private static void look(Client client) throws Exception {
        ask("threads", Client.CHANGE_THREAD_DATA, client::requestThreadUpdate);
        int main = mainThread(client).getThreadId();
        ask("stack", Client.CHANGE_THREAD_STACKTRACE, () -> client.requestThreadStackTrace(main));
        ask("heap", Client.CHANGE_HEAP_DATA, client::updateHeapInfo);
        ask("allocations", Client.CHANGE_HEAP_ALLOCATIONS, client::requestAllocationDetails);
    }

    private static void ask(String what, int mask, Runnable request) throws Exception {
        answered.updateAndGet(m -> m & ~mask);
        long begin = System.nanoTime();
        request.run();
        await(what, () -> (answered.get() & mask) != 0 ? true : null);
        System.out.println("= " + what + " " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    }

    private static <T> T await(String what, Callable<T> value) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (;;) {
            T now = value.call();
            if (now != null) {
                return now;
            }
            if (System.nanoTime() > deadline) {
                System.out.println("= " + what + " did not come");
                System.exit(1);
            }
            Thread.sleep(5);
        }
    }
}
