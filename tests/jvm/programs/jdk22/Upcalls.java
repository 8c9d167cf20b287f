import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Allocates while native code calls Java: from C's qsort(), also inside of another one, from
 * threads that native code makes, in virtual threads, by stubs that are freed and whose place
 * others take. Argument: rounds. Prints DONE.
 */
public class Upcalls {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final AddressLayout ADDRESS = ValueLayout.ADDRESS;
    static final AddressLayout INTS = ADDRESS.withTargetLayout(INT);
    static final Linker LINKER = Linker.nativeLinker();
    static final MethodHandle QSORT = downcall("qsort",
            FunctionDescriptor.ofVoid(ADDRESS, LONG, LONG, ADDRESS));

    static volatile Object sink;
    record Compared(int a, int b) {}

    static MethodHandle downcall(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type);
    }

    static MethodHandle method(String name, MethodType type) throws ReflectiveOperationException {
        return MethodHandles.lookup().findStatic(Upcalls.class, name, type);
    }

    static int compare(MemorySegment a, MemorySegment b) {
        int left = a.get(INT, 0), right = b.get(INT, 0);
        sink = new Compared(left, right);
        return Integer.compare(left, right);
    }

    static int compareAndSort(MemorySegment a, MemorySegment b) {
        try {
            sort(6, "compare");
        } catch (Throwable failed) {
            throw new IllegalStateException(failed);
        }
        return compare(a, b);
    }

    static void sort(int count, String comparator) throws Throwable {
        MethodType type = MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stub = LINKER.upcallStub(method(comparator, type),
                    FunctionDescriptor.of(INT, INTS, INTS), arena);
            MemorySegment numbers = arena.allocate(4L * count);
            for (int i = 0; i < count; ++i) numbers.setAtIndex(INT, i, i * 7919 % 1009);
            QSORT.invokeExact(numbers, (long) count, 4L, stub);
        }
    }

    static MemorySegment run(MemorySegment argument) {
        for (int i = 0; i < 20; ++i) sink = new Compared(i, i);
        return MemorySegment.NULL;
    }

    static void foreignThread() throws Throwable {
        MethodHandle create = downcall("pthread_create",
                FunctionDescriptor.of(INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
        MethodHandle join = downcall("pthread_join", FunctionDescriptor.of(INT, LONG, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment main = LINKER.upcallStub(
                    method("run", MethodType.methodType(MemorySegment.class, MemorySegment.class)),
                    FunctionDescriptor.of(ADDRESS, ADDRESS), arena);
            MemorySegment thread = arena.allocate(8);
            int failed = (int) create.invokeExact(thread, MemorySegment.NULL, main, MemorySegment.NULL);
            failed |= (int) join.invokeExact(thread.get(LONG, 0), MemorySegment.NULL);
            if (failed != 0) throw new IllegalStateException("no thread");
        }
    }

    static long wide(long a, long b, long c, long d, long e, long f, long g, double h) {
        sink = new Compared((int) a, (int) h);
        return a + g;
    }

    // A stub of another size, called by the agent of no library: by Java itself.
    static void wideStub() throws Throwable {
        MemoryLayout[] parameters = {LONG, LONG, LONG, LONG, LONG, LONG, LONG, ValueLayout.JAVA_DOUBLE};
        FunctionDescriptor type = FunctionDescriptor.of(LONG, parameters);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stub = LINKER.upcallStub(method("wide", type.toMethodType()), type, arena);
            sink = (long) LINKER.downcallHandle(type).invokeExact(stub, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8.0);
        }
    }

    static void waitInside() throws Throwable {
        Thread.yield();
        sort(20, "compare");
        Thread.sleep(1);
        sort(20, "compareAndSort");
    }

    public static void main(String[] arguments) throws Throwable {
        for (int round = Integer.parseInt(arguments[0]); round > 0; --round) {
            sort(100, "compare");
            sort(10, "compareAndSort");
            foreignThread();
            wideStub();
            Thread.ofVirtual().start(() -> {
                try {
                    waitInside();
                } catch (Throwable failed) {
                    throw new IllegalStateException(failed);
                }
            }).join();
        }
        System.out.println("DONE");
    }
}
