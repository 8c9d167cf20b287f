import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Runs the scenarios and compares result and hook counts with a count made by hand. Argument: "old"
 * leaves out Modern. This class itself is never rewritten; with -Dplain=true no hook may be called.
 */
public class Behaviour {
    private static final boolean PLAIN = Boolean.getBoolean("plain");
    private static int failed;
    private static int passed;

    /** Methods entered, left and left by exception; arrays one, inner, many; arrays from calls. */
    private static void check(String name, Callable<Object> run, Object expected, int... counts) {
        HookLog.reset();
        String result;
        try {
            result = String.valueOf(run.call());
        } catch (Throwable thrown) {
            result = thrown.toString();
        }
        int[] seen = {HookLog.entered, HookLog.left, HookLog.thrown, HookLog.one, HookLog.inner,
            HookLog.many, HookLog.calledArrays};
        int[] wanted = PLAIN ? new int[seen.length] : Arrays.copyOf(counts, seen.length);
        if (result.equals(String.valueOf(expected)) && Arrays.equals(seen, wanted)) {
            passed++;
            return;
        }
        failed++;
        System.out.println("FAILED " + name + ": " + result + " " + Arrays.toString(seen)
                + ", expected " + expected + " " + Arrays.toString(wanted));
    }

    public static void main(String[] args) {
        int[] log = new int[2];
        check("a loop to bytecode index 0 enters once", () -> Scenarios.loopToStart(5), 0, 1, 1);
        check("arrays of all kinds", Scenarios::arrays, 12, 1, 1, 0, 3, 8, 1);
        check("table switch", () -> Scenarios.tableSwitch(2), 12, 1, 1, 0, 1);
        check("table switch default", () -> Scenarios.tableSwitch(9), -1, 1, 1);
        check("lookup switch", () -> Scenarios.lookupSwitch(-1000), 15, 1, 1, 0, 3);
        check("lookup switch continue", () -> Scenarios.lookupSwitch(7), 300, 1, 1);
        check("finally on return", () -> Scenarios.finallyReturn(false, log), 1, 1, 1, 0, 1);
        check("finally on throw", () -> Scenarios.caught(log), 42, 2, 1, 1, 1);
        check("finally ran twice", () -> log[1], 14);
        check("locks", () -> Scenarios.locked(log, false), 9, 1, 1);
        check("locks are released on throw", () -> Scenarios.locked(log, true),
                "java.lang.RuntimeException: x", 1, 0, 1, 1);
        check("locks are free again", () -> Thread.holdsLock(log) || Thread.holdsLock(
                Scenarios.class), false);
        check("long and double", () -> Scenarios.wide(1L, 1.0, 4), 23L, 1, 1, 0, 4);
        check("double return", () -> Scenarios.half(5), 2.5, 1, 1);
        check("float return", () -> Scenarios.third(9), 3.0f, 1, 1);
        check("exception through 5 frames", () -> Scenarios.deep(4),
                "java.lang.ArithmeticException: bottom", 5, 0, 5);
        check("clone", () -> ((int[]) Scenarios.cloned()).length, 3, 1, 1, 0, 1, 0, 0, 1);
        check("constructor", () -> new Scenarios.Derived().parts.length, 2, 3, 3, 0, 4);
        check("constructor whose super() throws: only the super's exit is seen",
                () -> new Scenarios.Derived(false, true, false),
                "java.lang.IllegalArgumentException: base", 2, 0, 1, 1);
        check("constructor that throws after super()",
                () -> new Scenarios.Derived(false, false, true),
                "java.lang.IllegalStateException: derived", 2, 1, 1, 2);
        check("inner class", Scenarios::inner, 10, 3, 3, 0, 1);
        check("uninitialised across branches", () -> Scenarios.choose(false, "a", "b"), "b2", 1, 1);
        check("labelled loops", () -> Scenarios.nested(4).size(), 10, 1, 1, 0, 10);
        big();
        if (args.length == 0 || !args[0].equals("old")) {
            modern();
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void big() {
        int n = Big.COUNT;
        check("branch that outgrows 16 bits, taken", () -> Big.branch(true, 1L, 2.0, "s", 3), 6, 1,
                1);
        check("branch that outgrows 16 bits, not taken",
                () -> Big.branch(false, 1L, 2.0, "s", 3), 6, 1, 1, 0, n);
        check("loop that outgrows 16 bits", () -> Big.loop(2), 2 * n, 1, 1, 0, 2 * n);
        check("uninitialised object over an outgrown branch", () -> Big.make(true), 0, 2, 2);
        check("uninitialised object over an outgrown branch, not taken", () -> Big.make(false),
                Big.TERMS, 2 + Big.TERMS, 2 + Big.TERMS, 0, Big.TERMS);
        check("uninitialised this over an outgrown branch", () -> new Big(true, 1L).sum, 0, 2, 2);
        check("uninitialised this over an outgrown branch, not taken",
                () -> new Big(false, 1L).sum, Big.TERMS, 2 + Big.TERMS, 2 + Big.TERMS, 0, Big.TERMS);
        check("method that would be too long stays as it was", () -> Big.tooLong(), Big.LONG);
    }

    private static void modern() {
        check("interface methods and initialiser", Modern::interfaces, 6, 5, 5, 0, 3, 0, 0, 1);
        check("lambdas", () -> Modern.lambdas(3), 6, 3, 3, 0, 2, 0, 0, 2);
        // <clinit>, 3 constructors, $values; values() by us and by Enum.valueOf; valueOf.
        check("enums", Modern::enums, 4, 9, 9, 0, 1, 0, 0, 4);
        check("string switch", () -> Modern.strings("two"), "2two", 1, 1);
        check("resources", () -> Modern.resources(true), "java.lang.Exception: body", 3, 2, 1);
    }
}
