import com.android.ddmlib.AllocationInfo;
import com.android.ddmlib.AndroidDebugBridge;
import com.android.ddmlib.Client;
import com.android.ddmlib.ClientData;
import com.android.ddmlib.DdmPreferences;
import com.android.ddmlib.HeapSegment;
import com.android.ddmlib.HeapSegment.HeapSegmentElement;
import com.android.ddmlib.IDevice;
import com.android.ddmlib.ThreadInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Google's ddmlib, unmodified, looks at a JVM through adb and `ddm bridge`; what it sees is held
 * against what the JVM says of itself. Arguments: the device's serial, the target's JDK, and then
 * the target's flags. Each check is a line; the exit code is the number of those that failed.
 */
public final class DdmlibCheck {
    // States as Dalvik numbers them.
    private static final int RUNNING = 1;
    private static final int TIMED_WAIT = 2;
    private static final int MONITOR = 3;
    private static final int WAIT = 4;

    private static int failures;

    private final Target target;
    private final IDevice device;
    private Client client;
    private ClientData data;

    private interface Check {
        void run() throws Exception;
    }

    private DdmlibCheck(Target target, IDevice device) {
        this.target = target;
        this.device = device;
    }

    public static void main(String[] args) throws Exception {
        DdmPreferences.setLogLevel("warn");
        // Away from the ports of a DDMS that somebody has open.
        DdmPreferences.setDebugPortBase(18600);
        DdmPreferences.setSelectedDebugPort(18700);
        AndroidDebugBridge.init(true);
        AndroidDebugBridge bridge = AndroidDebugBridge.createBridge();
        IDevice device = await("the device " + args[0], () -> Arrays.stream(bridge.getDevices())
                .filter(d -> d.getSerialNumber().equals(args[0])).findAny().orElse(null));
        Target target = new Target(args[1], Arrays.asList(args).subList(2, args.length));
        try {
            new DdmlibCheck(target, device).runAll();
        } finally {
            target.process().destroyForcibly();
        }
        AndroidDebugBridge.terminate();
        System.out.println(failures + " failed");
        System.exit(failures);
    }

    private void runAll() throws Exception {
        check("a JVM that starts becomes a client with name, VM and flags", this::hello);
        check("threads have their names, states, daemon flags and OS ids", this::threads);
        check("a thread that starts, is renamed and ends is followed", this::threadEvents);
        check("the stack of a parked thread is Java's own", this::stack);
        check("heap figures are those that Java tells of itself", this::heapFigures);
        check("a collection can be asked for, and heap figures follow it", this::collection);
        check("a map of the heap follows a collection, and every segment can be read",
                this::heapMap);
        check("known allocations are seen, and none once tracking is off", this::allocations);
        check("tracking can be switched on a second time", this::allocations);
        check("a heap dump can be read to its end", this::heapDump);
        check("a method trace and samples reach ddmlib's own handler", this::profiles);
        check("a killed program ends with the status and leaves the list", this::kill);
    }

    private void hello() throws Exception {
        client = await("the client", this::find);
        data = client.getClientData();
        await("its name", data::getClientDescription);
        equal("DdmlibTarget", data.getClientDescription(), "name");
        String vm = data.getVmIdentifier();
        isTrue(vm.matches("OpenJDK 64-Bit Server VM v\\d+.*"), "VM is " + vm);
        isTrue(data.getAbi().startsWith("64-bit ("), "ABI is " + data.getAbi());
        isTrue(data.getJvmFlags().contains("-Xmx256m"), "flags are " + data.getJvmFlags());
        await("streamed heap dumps", () -> data.hasFeature(ClientData.FEATURE_HPROF_STREAMING));
        isTrue(client.isDdmAware() && data.isDdmAware(), "not DDM aware");
    }

    private void threads() throws Exception {
        client.setThreadUpdateEnabled(true);
        Map<String, Boolean> truth = new HashMap<>();
        for (String[] row : target.ask("threads")) {
            truth.put(row[0], Boolean.valueOf(row[1]));
        }
        await("the threads", () -> byName().keySet().containsAll(truth.keySet()));
        client.requestThreadUpdate();
        Map<String, ThreadInfo> seen = await("their states", () -> {
            Map<String, ThreadInfo> threads = byName();
            // ddmlib takes the answer in thread by thread.
            return truth.keySet().stream().allMatch(name -> threads.containsKey(name)
                    && threads.get(name).getTid() > 0) ? threads : null;
        });
        // The VM makes threads of its own at any time.
        isTrue(seen.keySet().containsAll(truth.keySet()), seen.keySet() + " for " + truth.keySet());
        for (Map.Entry<String, Boolean> thread : truth.entrySet()) {
            equal(thread.getValue(), seen.get(thread.getKey()).isDaemon(),
                    thread.getKey() + " is a daemon");
        }
        equal(WAIT, seen.get("parked").getStatus(), "parked");
        equal(TIMED_WAIT, seen.get("sleeping").getStatus(), "sleeping");
        equal(RUNNING, seen.get("spinning").getStatus(), "spinning");
        equal(MONITOR, seen.get("blocked").getStatus(), "blocked");
        equal(WAIT, seen.get("waiting").getStatus(), "waiting");
        Map<String, Integer> ids = target.nativeIds();
        for (String name : List.of("main", "parked", "sleeping", "spinning", "blocked", "waiting")) {
            equal(ids.get(name), seen.get(name).getTid(), "OS id of " + name);
        }
        ThreadInfo spinning = seen.get("spinning");
        isTrue(spinning.getUtime() > 0, "no user time for a thread that spins");
    }

    private void threadEvents() throws Exception {
        isTrue(!byName().containsKey("comet"), "comet is there already");
        target.ask("start comet");
        ThreadInfo comet = await("comet", () -> byName().get("comet"));
        target.ask("rename comet meteor");
        ThreadInfo meteor = await("its new name", () -> byName().get("meteor"));
        equal(comet.getThreadId(), meteor.getThreadId(), "id after renaming");
        isTrue(!byName().containsKey("comet"), "the old name is still there");
        target.ask("stop comet");
        await("its end", () -> !byName().containsKey("meteor"));
    }

    private void stack() throws Exception {
        int id = byName().get("parked").getThreadId();
        client.requestThreadStackTrace(id);
        StackTraceElement[] seen = await("the stack", () -> byName().get("parked").getStackTrace());
        List<String> truth = target.ask("stack parked").stream()
                .map(frame -> String.join(" ", frame)).filter(DdmlibCheck::isShown).toList();
        List<String> frames = Arrays.stream(seen)
                .map(frame -> frame.getClassName() + " " + frame.getMethodName() + " "
                        + frame.getFileName() + " " + frame.getLineNumber())
                .filter(DdmlibCheck::isShown).toList();
        isTrue(truth.stream().anyMatch(frame -> frame.contains("parkDeeper")), "truth: " + truth);
        equal(truth, frames, "frames");
    }

    /** Frames that the JDK hides are shown here and hidden there, from one version to the next. */
    private static boolean isShown(String frame) {
        return !frame.contains("$$Lambda") && !frame.startsWith("java.lang.Thread runWith ");
    }

    private void heapFigures() throws Exception {
        long[] before = memory();
        client.updateHeapInfo();
        ClientData.HeapInfo heap = await("heap figures", () -> data.getVmHeapInfo(1));
        long[] after = memory();
        isTrue(before[0] <= heap.bytesAllocated && heap.bytesAllocated <= after[0],
                "used is " + heap.bytesAllocated + ", not from " + before[0] + " to " + after[0]);
        equal(after[1], heap.sizeInBytes, "committed");
        equal(after[2], heap.maxSizeInBytes, "max");
        equal(1, (int) heap.reason, "reason");
        isTrue(Math.abs(heap.timeStamp - System.currentTimeMillis()) < 60_000, "time");
    }

    private void collection() throws Exception {
        long before = collections();
        client.setHeapInfoUpdateEnabled(true);
        client.executeGarbageCollector();
        ClientData.HeapInfo heap = await("figures of a collection", () -> {
            ClientData.HeapInfo info = data.getVmHeapInfo(1);
            return info.reason == 3 ? info : null;
        });
        isTrue(collections() > before, "nothing was collected");
        isTrue(heap.bytesAllocated > 0 && heap.bytesAllocated <= heap.sizeInBytes, "used");
        client.setHeapInfoUpdateEnabled(false);
    }

    private void heapMap() throws Exception {
        client.setHeapSegmentUpdateEnabled(true);
        client.executeGarbageCollector();
        ClientData.HeapData map = data.getVmHeapData();
        await("a map", () -> map.isHeapDataComplete() ? map : null);
        client.setHeapSegmentUpdateEnabled(false);
        // A collection's later pauses may bring one more map.
        TimeUnit.SECONDS.sleep(1);
        long[] bytesOfKind = new long[HeapSegmentElement.KIND_NATIVE + 1];
        long free = 0;
        long all = 0;
        long end = -1;
        synchronized (map) {
            isTrue(map.isHeapDataComplete(), "the map was begun anew and not finished");
            for (HeapSegment segment : map.getHeapSegments()) {
                isTrue(segment.isValid() && segment.getStartAddress() >= end, "addresses");
                end = segment.getEndAddress();
                all += segment.getLength();
                long ofElements = 0;
                segment.rewindElements();
                for (HeapSegmentElement e; (e = segment.getNextElement(null)) != null; ) {
                    ofElements += e.getLength();
                    if (e.getSolidity() == HeapSegmentElement.SOLIDITY_FREE) {
                        free += e.getLength();
                    } else {
                        equal(HeapSegmentElement.SOLIDITY_HARD, e.getSolidity(), "solidity");
                        bytesOfKind[e.getKind()] += e.getLength();
                    }
                }
                equal((long) segment.getLength(), ofElements, "bytes of a segment's elements");
            }
        }
        equal(memory()[1], all, "bytes of the map, and committed ones");
        isTrue(free > 0 && free < all, "free: " + free);
        for (int kind = 0; kind <= HeapSegmentElement.KIND_ARRAY_8; kind++) {
            isTrue(bytesOfKind[kind] > 1000, "bytes of kind " + kind + ": " + bytesOfKind[kind]);
        }
        equal(0L, bytesOfKind[HeapSegmentElement.KIND_NATIVE], "native bytes");
    }

    private void allocations() throws Exception {
        switchTracking(true, ClientData.AllocationTrackingStatus.ON);
        String[] lines = target.ask("allocate allocator").get(0);
        int thread = await("the allocating thread", () -> byName().get("allocator")).getThreadId();
        target.ask("stop allocator");
        switchTracking(false, ClientData.AllocationTrackingStatus.OFF);
        target.ask("allocate unseen");
        target.ask("stop unseen");

        AllocationInfo[] all = requestAllocations();
        List<AllocationInfo> markers = of(all, "DdmlibTarget$Marker");
        List<AllocationInfo> arrays = new ArrayList<>(of(all, "long[]"));
        arrays.removeIf(info -> !info.getFirstTraceMethodName().equals("makeArrays"));
        equal(DdmlibTarget.MARKERS, markers.size(), "records of Marker");
        equal(DdmlibTarget.ARRAYS, arrays.size(), "records of long[]");
        for (AllocationInfo marker : markers) {
            equal(24, marker.getSize(), "size of a Marker");
            equal(thread, Short.toUnsignedInt(marker.getThreadId()), "thread of a Marker");
            isAt(marker, "makeMarkers", lines[0]);
        }
        for (AllocationInfo array : arrays) {
            equal(16 + 8 * DdmlibTarget.ARRAY_LENGTH, array.getSize(), "size of an array");
            isAt(array, "makeArrays", lines[1]);
        }
        // The arrays came later; ddmlib gives the newest record the highest number.
        isTrue(arrays.get(0).getAllocNumber() > markers.get(0).getAllocNumber(), "order");
    }

    private void isAt(AllocationInfo info, String method, String line) {
        StackTraceElement[] stack = info.getStackTrace();
        equal("DdmlibTarget." + method + "(DdmlibTarget.java:" + line + ")", stack[0].toString(),
                "allocated at");
        equal("allocate", stack[1].getMethodName(), "called by");
        equal("java.lang.Thread.run", stack[stack.length - 1].getClassName() + "."
                + stack[stack.length - 1].getMethodName(), "outermost frame");
    }

    private void heapDump() throws Exception {
        AtomicReference<byte[]> dump = new AtomicReference<>();
        AtomicReference<String> problem = new AtomicReference<>();
        ClientData.setHprofDumpHandler(new ClientData.IHprofDumpHandler() {
            @Override
            public void onSuccess(String remoteFile, Client from) {
                problem.set("a file, " + remoteFile);
            }

            @Override
            public void onSuccess(byte[] bytes, Client from) {
                dump.set(bytes);
            }

            @Override
            public void onEndFailure(Client from, String message) {
                problem.set(String.valueOf(message));
            }
        });
        client.dumpHprof();
        await("the dump", () -> dump.get() != null || problem.get() != null);
        equal(null, problem.get(), "failure");
        Hprof hprof = Hprof.read(dump.get());
        equal(DdmlibTarget.KEPT, hprof.instancesOf("DdmlibTarget$Kept"), "instances of Kept");
    }

    private void profiles() throws Exception {
        AtomicReference<byte[]> file = new AtomicReference<>();
        AtomicReference<String> problem = new AtomicReference<>();
        ClientData.setMethodProfilingHandler(new ClientData.IMethodProfilingHandler() {
            @Override
            public void onSuccess(String remoteFile, Client from) {
                problem.set("a file, " + remoteFile);
            }

            @Override
            public void onSuccess(byte[] bytes, Client from) {
                file.set(bytes);
            }

            @Override
            public void onStartFailure(Client from, String message) {
                problem.set("start: " + message);
            }

            @Override
            public void onEndFailure(Client from, String message) {
                problem.set("end: " + message);
            }
        });
        isTrue(data.hasFeature(ClientData.FEATURE_PROFILING_STREAMING), "no streamed traces");
        client.startMethodTracer();
        profiling(ClientData.MethodProfilingStatus.TRACER_ON);
        target.ask("allocate traced");
        target.ask("stop traced");
        client.stopMethodTracer();
        String trace = profile(file, problem);
        isTrue(trace.contains("\tDdmlibTarget\tmakeMarkers\t") && trace.contains("\ttraced\n"),
                "the trace lacks makeMarkers");
        profiling(ClientData.MethodProfilingStatus.OFF);

        isTrue(data.hasFeature(ClientData.FEATURE_SAMPLING_PROFILER), "no samples");
        file.set(null);
        client.startSamplingProfiler(2, TimeUnit.MILLISECONDS);
        profiling(ClientData.MethodProfilingStatus.SAMPLER_ON);
        TimeUnit.MILLISECONDS.sleep(500);
        client.stopSamplingProfiler();
        String samples = profile(file, problem);
        isTrue(samples.contains("\tspinning\n") && samples.contains("\tDdmlibTarget\t"),
                "the samples lack the thread that spins");
        profiling(ClientData.MethodProfilingStatus.OFF);
    }

    private void profiling(ClientData.MethodProfilingStatus wanted) throws Exception {
        await("profiling " + wanted, () -> {
            if (data.getMethodProfilingStatus() == wanted) {
                return true;
            }
            client.requestMethodProfilingStatus();
            return null;
        });
    }

    private static String profile(AtomicReference<byte[]> file, AtomicReference<String> problem)
            throws Exception {
        await("the file", () -> file.get() != null || problem.get() != null);
        equal(null, problem.get(), "failure");
        String text = new String(file.get(), java.nio.charset.StandardCharsets.ISO_8859_1);
        isTrue(text.startsWith("*version\n2\n") && text.contains("*end\nSLOW"), "no trace file");
        return text;
    }

    private void kill() throws Exception {
        client.kill();
        isTrue(target.process().waitFor(20, TimeUnit.SECONDS), "the program runs on");
        equal(1, target.process().exitValue(), "exit code");
        await("its end", () -> find() == null);
    }

    private Client find() {
        return Arrays.stream(device.getClients())
                .filter(one -> one.getClientData().getPid() == target.pid()).findAny().orElse(null);
    }

    private Map<String, ThreadInfo> byName() {
        Map<String, ThreadInfo> threads = new HashMap<>();
        for (ThreadInfo thread : data.getThreads()) {
            threads.put(thread.getThreadName(), thread);
        }
        return threads;
    }

    private long[] memory() throws Exception {
        return Arrays.stream(target.ask("memory").get(0)).mapToLong(Long::parseLong).toArray();
    }

    private long collections() throws Exception {
        return Long.parseLong(target.ask("collections").get(0)[0]);
    }

    private void switchTracking(boolean on, ClientData.AllocationTrackingStatus wanted)
            throws Exception {
        client.enableAllocationTracker(on);
        client.requestAllocationStatus();
        await("tracking " + wanted, () -> data.getAllocationStatus() == wanted);
    }

    /** ddmlib has the records only while it tells its listeners. */
    private AllocationInfo[] requestAllocations() throws Exception {
        AtomicReference<AllocationInfo[]> result = new AtomicReference<>();
        AndroidDebugBridge.IClientChangeListener listener = (changed, mask) -> {
            if ((mask & Client.CHANGE_HEAP_ALLOCATIONS) != 0 && changed == client) {
                result.set(changed.getClientData().getAllocations());
            }
        };
        AndroidDebugBridge.addClientChangeListener(listener);
        client.requestAllocationDetails();
        try {
            return await("the allocations", result::get);
        } finally {
            AndroidDebugBridge.removeClientChangeListener(listener);
        }
    }

    private static List<AllocationInfo> of(AllocationInfo[] all, String className) {
        return Arrays.stream(all).filter(one -> one.getAllocatedClass().equals(className)).toList();
    }

    /** Until the value is neither null nor false. */
    private static <T> T await(String what, Callable<T> value) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (;;) {
            T now = value.call();
            if (now != null && !Boolean.FALSE.equals(now)) {
                return now;
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError(what + " did not come");
            }
            Thread.sleep(20);
        }
    }

    private static void equal(Object wanted, Object seen, String what) {
        boolean same = wanted instanceof Number a && seen instanceof Number b
                ? a.longValue() == b.longValue()
                : java.util.Objects.equals(wanted, seen);
        if (!same) {
            throw new AssertionError(what + ": " + seen + " instead of " + wanted);
        }
    }

    private static void isTrue(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void check(String name, Check check) {
        try {
            check.run();
            System.out.println("ok   " + name);
        } catch (Throwable problem) {
            failures++;
            System.out.println("FAIL " + name + ": " + problem);
            for (StackTraceElement frame : problem.getStackTrace()) {
                if (frame.getClassName().startsWith("DdmlibCheck")) {
                    System.out.println("         at " + frame);
                }
            }
        }
    }
}
