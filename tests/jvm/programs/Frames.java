import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Allocates in every kind of place and says where, from Java's own stack traces:
 * "AT CLASS METHOD:LINE METHOD:LINE ..." once per object, innermost first; constructors that the
 * object is running through are left out. Every allocation stands on one line with the call of
 * at(), which takes the trace.
 */
public class Frames {
    static volatile Object sink;
    static int zero;

    private static final List<String> truths = new ArrayList<>();

    /** The caller has just made this object. */
    static <T> T at(T made) {
        tell(made.getClass(), new Throwable().getStackTrace(), 1);
        return made;
    }

    /** Says where an object was made; `skip` frames on top of the trace do not count. */
    static void tell(Class<?> kind, StackTraceElement[] trace, int skip) {
        StringBuilder line = new StringBuilder("AT ").append(kind.getTypeName().replaceAll("/0x.*", ""));
        for (int i = skip; i < trace.length; i++) {
            line.append(' ').append(trace[i].getClassName()).append('.').append(trace[i].getMethodName())
                    .append(':').append(trace[i].getLineNumber());
        }
        truths.add(line.toString());
    }

    /** An object says itself that it is being made; the constructors on top are its own. */
    static void tellOwn(Object self) {
        StackTraceElement[] trace = new Throwable().getStackTrace();
        int skip = 1;
        while (trace[skip].getMethodName().equals("<init>")) skip++;
        tell(self.getClass(), trace, skip);
    }

    static class Self {
        Self() { tellOwn(this); }
    }

    // ---- Constructors

    static class Plain { int a; }

    static class Part { }
    static class WithField {
        final Object part = at(new Part());
        final Object[] parts = at(new Part[3]);
    }

    static class Node {
        Node next;
        Node(int more) {
            if (more > 0) next = at(new Node(more - 1));
        }
    }

    static class Chain {
        long sum;
        Chain() { this(1); sum += 1; }
        Chain(int a) { this(a, 2L); sum += a; }
        Chain(int a, long b) { super(); sum = a + b; }
    }

    static class BasePart { }
    static class Base {
        Object made;
        Base() { made = at(new BasePart()); }
        Base(Object given) { made = given; }
    }
    static class Middle extends Base { Middle() { super(); sink = at(new Part()); } }
    static class Derived extends Middle { Derived() { this(4); } Derived(int n) { super(); zero = n - n; } }

    static class Argument { }
    static class WithArgument extends Base {
        WithArgument() { super(at(new Argument())); }
        WithArgument(boolean one) { super(one ? at(new Argument()) : at(new Argument[2])); }
        WithArgument(int size) { super(Arrays.asList(at(new Argument()), at(new long[size][2]))); }
    }

    static class Wraps {
        final Wraps inner;
        Wraps(Wraps inner) { this.inner = inner; }
        Wraps() { this(at(new Wraps(at(new Wraps(null))))); }  // `this` is none of the two
    }

    static class Made extends Base {
        Made() { super(make()); }
        Made(int n) { super((Object) null); zero = n - n; }
        static Made make() { return at(new Made(7)); }
    }

    static class Outer {
        int n;
        class Inner { int sum = n + 1; }
        class Deeper extends Inner { Object held = at(new Inner()); }
    }

    static class Failing {
        Failing() { throw at(new IllegalStateException()); }
    }
    static class OwnException extends RuntimeException {
        OwnException(String words) { super(words, null, true, true); }
    }

    static class Finalized {
        @SuppressWarnings({"deprecation", "removal"}) protected void finalize() { zero = 0; }
    }

    static void constructors() {
        sink = at(new Plain());
        sink = at(new WithField());
        sink = at(new Node(5));
        sink = at(new Chain());
        sink = at(new Chain(5));
        sink = at(new Derived());
        sink = at(new WithArgument());
        sink = at(new WithArgument(zero == 0));
        sink = at(new WithArgument(zero != 0));
        sink = at(new WithArgument(2));
        sink = at(new Wraps());
        sink = at(new Made());
        Outer outer = at(new Outer());
        sink = at(outer.new Inner());
        sink = at(outer.new Deeper());
        try {
            sink = new Failing();
        } catch (IllegalStateException e) {
            tell(Failing.class, e.getStackTrace(), 1);
        }
        sink = at(new OwnException("x"));
        sink = at(new Finalized());
    }

    // ---- Classes without a name, records, enums, initialisers

    record Pair(int left, Object right) {
        Pair {
            right = right == null ? at(new Part()) : right;
        }
        Pair(int left) { this(left, at(new Argument())); }
    }

    enum Planet {
        MARS(at(new EnumPart())),
        EARTH(at(new EnumPart())) {
            Object visit() { return at(new Plain()); }
        };
        final Object part;
        Planet(Object part) {
            this.part = part;
            tellOwn(this);
        }
        Object visit() { return at(new EnumPart()); }
    }
    static class EnumPart { }

    static class Initialised {
        static final Object FIRST = at(new Part());
        static final int[] TABLE;
        static {
            TABLE = at(new int[77]);
        }
        static void touch() { }
    }

    interface Default {
        default Object make() { return at(new Plain()); }
        static Object makeStatic() { return at(new Plain()); }
    }

    static void nameless() {
        int captured = zero + 1;
        sink = at(new Object() { int c = captured; });
        sink = at(new WithArgument(3) { Object more = at(new Part()); });
        class Local { int c = captured; Local() { super(); sink = at(new Part()); } }
        sink = at(new Local());
        sink = at(new Pair(1, null));
        sink = at(new Pair(2));
        for (Planet planet : Planet.values()) sink = planet.visit();
        Initialised.touch();
        sink = at(new Default() { }).make();
        sink = Default.makeStatic();
        Supplier<Object> lambda = at(() -> at(new Part[captured]));
        sink = lambda.get();
        Function<Object, Object> nested = x -> at(new Plain());
        sink = nested.andThen(y -> at(new Part())).apply(null);
    }

    // ---- Arrays, with array instructions in front that move the code behind them

    static class Elem implements Cloneable {
        public Elem clone() throws CloneNotSupportedException { return (Elem) at(super.clone()); }
    }

    static Object arrays(int n) throws Exception {
        Object all = new Object[] {new short[n], new boolean[n + 1], "a" + n};
        sink = at(new Elem[n]);
        for (Object inner : at(new Elem[n][n])) at(inner);
        sink = at(new long[n]);
        sink = at(new int[n][][]);
        Elem[] some = at(new Elem[n]);
        sink = at(some.clone());
        sink = at(new Elem()).clone();
        if (n > 100) return all;
        try {
            sink = at(new byte[n]);
            sink = ((Object[]) all)[n + zero + 4];
        } catch (ArrayIndexOutOfBoundsException e) {
            tell(e.getClass(), e.getStackTrace(), 0);
            sink = at(new Plain());
        }
        synchronized (all) {
            sink = at(new Plain());
        }
        return all;
    }

    static Object switches(int n) {
        double[] moved = new double[n];
        switch (n) {  // tableswitch: its padding changes with what stands before
            case 0: return at(new Plain());
            case 1: return at(new char[n]);
            case 2: return at(new Plain[n]);
            default: break;
        }
        char[] again = new char[n];
        switch (n) {  // lookupswitch
            case 100: return at(new Plain());
            case 2000: return at(new Part[2]);
            default: return at(new Plain());
        }
    }

    // ---- What the VM makes itself

    static void thrownByTheVm() {
        try {
            zero = 1 / zero;
        } catch (ArithmeticException e) {
            tell(e.getClass(), e.getStackTrace(), 0);
        }
        try {
            sink = (Runnable) (Object) "no Runnable";
        } catch (ClassCastException e) {
            tell(e.getClass(), e.getStackTrace(), 0);
        }
        try {
            sink = new int[zero - 1];
        } catch (NegativeArraySizeException e) {
            tell(e.getClass(), e.getStackTrace(), 0);
        }
    }

    // ---- Depth

    static Object deep(int levels) {
        return levels == 0 ? at(new Plain()) : deep(levels - 1);
    }

    static class DeepNode {
        DeepNode next;
        DeepNode(int levels) {
            if (levels > 0) next = at(new DeepNode(levels - 1));
        }
    }

    /** Eleven constructors on top of the object, ten of which leave the depth of the stack alone. */
    static class L0 { L0() { super(); } }
    static class L1 extends L0 { L1() { super(); } }
    static class L2 extends L1 { L2() { super(); } }
    static class L3 extends L2 { L3() { super(); } }
    static class L4 extends L3 { L4() { super(); } }
    static class L5 extends L4 { L5() { super(); } }
    static class L6 extends L5 { L6() { super(); } }
    static class L7 extends L6 { L7() { super(); } }
    static class L8 extends L7 { L8() { super(); } }
    static class L9 extends L8 { L9() { super(); } }
    static class L10 extends L9 { L10() { super(); } }

    static Object deepConstructors(int levels) {
        return levels == 0 ? at(new L10()) : deepConstructors(levels - 1);
    }

    public static void main(String[] args) throws Exception {
        constructors();
        nameless();
        sink = arrays(3);
        for (int i = 0; i < 3; i++) sink = switches(i);
        sink = switches(100);
        sink = switches(2000);
        sink = switches(3000);
        thrownByTheVm();
        for (int levels : new int[] {10, 13, 14, 15, 16, 40}) sink = deep(levels);
        for (int levels : new int[] {10, 13, 14, 15, 16, 40}) sink = deepConstructors(levels);
        sink = at(new DeepNode(30));
        sink = new Self();
        sink = new Self() { };
        sink = Self.class.getDeclaredConstructor().newInstance();
        System.out.println(String.join("\n", truths));
    }
}
