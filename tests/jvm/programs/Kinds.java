import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Allocates known numbers of objects in many ways and prints the truth: "CLASS COUNT" lines.
 *
 * Every kind has element or object classes of its own, so that counts by class tell kinds apart
 * and nothing that the JDK allocates mixes in. Arguments: rounds of warm-up, objects of each kind.
 */
public class Kinds {
    static volatile Object sink;
    static volatile int intSink;

    static class Plain { int a; }
    static class Base { long x; Base() { x = 1; } }
    static class Middle extends Base { long y; Middle() { super(); y = 2; } }
    static class Derived extends Middle { Derived() { this(3); } Derived(int n) { super(); x = n; } }
    static class Outer { class Inner { int i; } }
    static class Reflected { }
    static class ByHandle { public ByHandle() { } }
    static class Copied implements Cloneable {
        int[] payload;
        public Copied clone() {
            try {
                return (Copied) super.clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }
    record Pair(int left, Object right) { }
    enum Color { RED, GREEN, BLUE }
    interface Maker {
        default Object make() { return new MadeByDefault(); }
        static Object makeStatic() { return new MadeByStatic(); }
    }
    static class MadeByDefault { }
    static class MadeByStatic { }
    static class MakerImpl implements Maker { }
    static class InThread { int t; }
    static class Elem { }
    static class CopyElem { }
    static class RangeElem { }
    static class CloneElem { }
    static class NewInstanceElem { }
    static class MultiInstanceElem { }
    static class VarargElem { }
    static class ListElem { }
    static class MultiElem { }
    static class JaggedElem { }
    static class ThrowsInConstructor {
        ThrowsInConstructor() {
            sink = this;  // seen by others, or C2 need not make it
            throw new IllegalStateException();
        }
    }
    static class OwnException extends RuntimeException {
        OwnException() { super(null, null, false, false); }
    }

    interface Kind { void run(int n) throws Throwable; }

    static final Constructor<Reflected> CONSTRUCTOR;
    static final MethodHandle HANDLE;
    static final MethodHandle ARRAY_HANDLE;
    static {
        try {
            CONSTRUCTOR = Reflected.class.getDeclaredConstructor();
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HANDLE = lookup.findConstructor(ByHandle.class, MethodType.methodType(void.class));
            ARRAY_HANDLE = MethodHandles.arrayConstructor(HandleElem[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
    static class HandleElem { }

    static final CopyElem[] COPY_SOURCE = new CopyElem[4];
    static final RangeElem[] RANGE_SOURCE = new RangeElem[6];
    static final CloneElem[] CLONE_SOURCE = new CloneElem[5];
    static final Copied COPIED = new Copied();

    static Object varargs(VarargElem... elems) { return elems; }

    static Map<String, Kind> kinds() {
        Map<String, Kind> k = new LinkedHashMap<>();
        k.put("Kinds$Plain", n -> { for (int i = 0; i < n; i++) sink = new Plain(); });
        k.put("Kinds$Derived", n -> { for (int i = 0; i < n; i++) sink = new Derived(); });
        k.put("Kinds$Outer$Inner", n -> {
            Outer outer = OUTER;
            for (int i = 0; i < n; i++) sink = outer.new Inner();
        });
        k.put("Kinds$Reflected", n -> { for (int i = 0; i < n; i++) sink = CONSTRUCTOR.newInstance(); });
        k.put("Kinds$ByHandle", n -> { for (int i = 0; i < n; i++) sink = (ByHandle) HANDLE.invokeExact(); });
        k.put("Kinds$Copied", n -> { for (int i = 0; i < n; i++) sink = COPIED.clone(); });
        k.put("Kinds$Pair", n -> { for (int i = 0; i < n; i++) sink = new Pair(i, null); });
        k.put("Kinds$Color[]", n -> { for (int i = 0; i < n; i++) sink = Color.values(); });
        k.put("Kinds$MadeByDefault", n -> { for (int i = 0; i < n; i++) sink = MAKER.make(); });
        k.put("Kinds$MadeByStatic", n -> { for (int i = 0; i < n; i++) sink = Maker.makeStatic(); });
        k.put("Kinds$Elem[]", n -> { for (int i = 0; i < n; i++) sink = new Elem[i & 7]; });
        k.put("Kinds$CopyElem[]", n -> { for (int i = 0; i < n; i++) sink = Arrays.copyOf(COPY_SOURCE, 3 + (i & 3)); });
        k.put("Kinds$RangeElem[]", n -> { for (int i = 0; i < n; i++) sink = Arrays.copyOfRange(RANGE_SOURCE, 1, 4); });
        k.put("Kinds$CloneElem[]", n -> { for (int i = 0; i < n; i++) sink = CLONE_SOURCE.clone(); });
        k.put("Kinds$NewInstanceElem[]", n -> { for (int i = 0; i < n; i++) sink = Array.newInstance(NewInstanceElem.class, 2); });
        k.put("Kinds$HandleElem[]", n -> { for (int i = 0; i < n; i++) sink = (HandleElem[]) ARRAY_HANDLE.invokeExact(2); });
        k.put("Kinds$VarargElem[]", n -> { for (int i = 0; i < n; i++) sink = varargs(null, null); });
        k.put("Kinds$ListElem[]", n -> {
            for (int i = 0; i < n; i++) {
                ListElem[] empty = new ListElem[0];
                sink = empty;
                sink = LIST.toArray(empty);
            }
        });
        k.put("Kinds$ThrowsInConstructor", n -> {
            for (int i = 0; i < n; i++) {
                try {
                    sink = new ThrowsInConstructor();
                } catch (IllegalStateException expected) {
                    intSink++;
                }
            }
        });
        k.put("Kinds$OwnException", n -> {
            for (int i = 0; i < n; i++) {
                try {
                    throw new OwnException();
                } catch (OwnException e) {
                    sink = e;
                }
            }
        });
        // One kind each of the primitive arrays, in a length that the JDK does not use at random.
        k.put("boolean[]", n -> { for (int i = 0; i < n; i++) sink = new boolean[131]; });
        k.put("char[]", n -> { for (int i = 0; i < n; i++) sink = new char[131]; });
        k.put("float[]", n -> { for (int i = 0; i < n; i++) sink = new float[131]; });
        k.put("double[]", n -> { for (int i = 0; i < n; i++) sink = new double[131]; });
        k.put("short[]", n -> { for (int i = 0; i < n; i++) sink = new short[131]; });
        k.put("Kinds$MultiElem[][]", n -> { for (int i = 0; i < n; i++) sink = new MultiElem[2][3]; });
        k.put("Kinds$JaggedElem[][][]", n -> { for (int i = 0; i < n; i++) sink = new JaggedElem[2][3][]; });
        k.put("Kinds$MultiInstanceElem[][]", n -> { for (int i = 0; i < n; i++) sink = Array.newInstance(MultiInstanceElem.class, 2, 2); });
        k.put("java.lang.Character", n -> { for (int i = 0; i < n; i++) sink = (char) (1000 + (i & 1023)); });
        k.put("java.lang.Float", n -> { for (int i = 0; i < n; i++) sink = (float) i; });
        k.put("LAMBDA", n -> { for (int i = 0; i < n; i++) sink = lambda(i); });
        k.put("CONCAT", n -> { for (int i = 0; i < n; i++) sink = concat(i); });
        k.put("CHAIN", n -> { for (int i = 0; i < n; i++) sink = chain(i); });
        k.put("CHAIN_VALUE", n -> { for (int i = 0; i < n; i++) sink = chainValue(i); });
        k.put("Kinds$InThread", Kinds::inThreads);
        return k;
    }
    static final Outer OUTER = new Outer();
    static final Maker MAKER = new MakerImpl();
    static final List<ListElem> LIST = new ArrayList<>(Arrays.asList(null, null, null));

    static Supplier<Integer> lambda(int i) { return () -> i; }

    static String concat(int i) { return "k" + (i & 7) + PAD; }
    /** As javac wrote concatenations up to Java 8. */
    static String chain(int i) { return new StringBuilder().append(MARK).append(i & 7).append(PAD).toString(); }
    static String chainValue(int i) { return String.valueOf(new StringBuilder().append(MARK).append(i & 7)); }
    static final String MARK = String.valueOf('k');  // a literal would be made at its first use
    /** Long enough that no other byte[] of the program has this size. */
    static final String PAD = "x".repeat(998);

    static final int THREADS = 4;

    static void inThreads(int n) throws Throwable {
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < n / THREADS; i++) sink = new InThread();
            }, "kinds-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
    }

    public static void main(String[] args) throws Throwable {
        int warm = Integer.parseInt(args[0]);
        int n = Integer.parseInt(args[1]);
        List<String> only = Arrays.asList(args).subList(2, args.length);
        Map<String, Kind> kinds = kinds();
        for (Map.Entry<String, Kind> kind : kinds.entrySet()) {
            if (!only.isEmpty() && !only.contains(kind.getKey())) continue;
            for (int i = 0; i < warm; i++) kind.getValue().run(n);
        }
        // "TRUTH class count": what this program allocates of each class in all, warm-up included.
        for (Map.Entry<String, Kind> kind : kinds.entrySet()) {
            if (!only.isEmpty() && !only.contains(kind.getKey())) continue;
            long total = (long) n * (warm + 1);
            kind.getValue().run(n);
            switch (kind.getKey()) {
                case "Kinds$MultiElem[][]":
                    truth("Kinds$MultiElem[]", total * 2);
                    break;
                case "Kinds$JaggedElem[][][]":
                    truth("Kinds$JaggedElem[][]", total * 2);
                    break;
                case "Kinds$MultiInstanceElem[][]":
                    truth("Kinds$MultiInstanceElem[]", total * 2);
                    break;
                default:
                    break;
            }
            switch (kind.getKey()) {
                case "Kinds$Color[]":
                    truth("Kinds$Color[]", total + 1);  // one more in the enum's initialiser
                    break;
                case "Kinds$ListElem[]":
                    truth("Kinds$ListElem[]", total * 2 + 1);  // passed in, returned; and LIST's own
                    break;
                case "Kinds$Copied":
                    truth("Kinds$Copied", total + 1);  // the original
                    break;
                case "Kinds$CloneElem[]":
                case "Kinds$CopyElem[]":
                case "Kinds$RangeElem[]":
                    truth(kind.getKey(), total + 1);
                    break;
                default:
                    truth(kind.getKey(), total);
            }
        }
    }

    static void truth(String name, long count) {
        System.out.println("TRUTH " + name + " " + count);
    }
}
