import java.util.concurrent.Callable;

/** Runs the patched methods and compares what their sinks wrote down with a count made by hand. */
public class PatchedRun {
    private static int failed;
    private static int passed;

    private static void check(String name, Callable<Object> run, Object result, String expected) {
        PatchLog.take();
        String got;
        try {
            got = String.valueOf(run.call());
        } catch (Throwable thrown) {
            got = thrown.toString();
        }
        String log = PatchLog.take();
        if (got.equals(String.valueOf(result)) && log.equals(expected)) {
            passed++;
            return;
        }
        failed++;
        System.out.println("FAILED " + name + ": " + got + "\n  wrote    " + log + "\n  expected "
                + expected + " (" + result + ")");
    }

    private static Object fields() {
        Patched p = new Patched(1);
        p.ratio = 2.0;
        Patched.total = 100;
        Patched.wide = 7;
        return Patched.fields(p);
    }

    public static void main(String[] args) {
        Patched one = new Patched(1);
        check("a loop to bytecode index 0", () -> Patched.loopToStart(5), 0, "1 2 2 2 2 2 2");
        check("a block that WHEN chooses", () -> Patched.busy(3), 3, "3 3 3 3 4=3");
        check("an int returned", one::anInt, 40_000, "5=40000");
        check("a long returned", one::aLong, 1L << 40, "5=1099511627776L");
        check("a float returned", Patched::aFloat, 1.5f, "5=1.5f");
        check("a double returned", Patched::aDouble, 2.25, "5=2.25");
        check("a reference returned, first and last", one::aString, "text", "5=text 6=text");
        check("nothing returned", () -> {
            one.nothing();
            return "";
        }, "", "5");
        check("an exception caught inside", () -> Patched.fails(0), -1, "8 9=4711L");
        check("an exception that leaves", () -> Patched.fails(1),
                "java.lang.ArithmeticException: / by zero",
                "7=java.lang.ArithmeticException:_/_by_zero 9=4711L 10=1");
        check("no exception", () -> Patched.fails(3), 5, "8 9=4711L");
        check("fields", PatchedRun::fields, 2, "10=Patched1 11=1 12=Patched1,2 13=Patched2,2 "
                + "14=4.0 15=Patched2,Patched2 16=100 17=101 19 18=12L 10=Patched2 11=2");
        check("a lock", () -> {
            Patched.locks("lock");
            return "";
        }, "", "20=lock 21=lock 22=lock");
        check("a synchronized method", () -> one.locked(false), 1, "23=Patched1 24=Patched1");
        check("a synchronized method that throws", () -> one.locked(true),
                "java.lang.IllegalStateException: locked", "23=Patched1 24=Patched1");
        check("a static synchronized method", Patched::lockedClass, 2, "25=Patched 26=Patched");
        check("allocations", Patched::allocations, 17,
                "27 27 28=StringBuilder 27 29 28=Patched3 28=a3 27 29 28=Patched4 30=Object[] "
                + "31=5 32=int[] 34 30=long[][] 33=6 30=Patched[][]");
        check("an object over a branch", () -> Patched.chosen(false).number, 20, "39=Patched20");
        check("a constructor", () -> new Patched(false).number, 8, "35=Patched0 36=Patched8");
        check("a constructor that throws", () -> new Patched(true),
                "java.lang.IllegalStateException: asked",
                "35=Patched0 37=java.lang.IllegalStateException:_asked");
        check("a constructor that calls another", () -> new Patched("four").number, 4,
                "38=Patched4");
        check("calls", () -> Patched.calls(one), 17,
                "40=Patched1,three 44 46=1:1 46=2:2 46=3:three 47=3 48=8 49=2L 41=8 43=5L 44 42=5L "
                + "44 5=text 6=text 44 5 45=Patched1 44");
        check("arguments", () -> one.arguments((byte) -3, 'c', 7L, 1.5f, 2.5, "s", true), -2,
                "50=1:-3 50=2:99 50=3:7 50=4:1.5 50=5:2.5 50=6:s 50=7:1 53=main 54=null 0 40000 "
                + "55=hello 57=1 58=static 51=-2");
        check("an argument that is overwritten", () -> Patched.overwritten("first") < 2, true,
                "60=first 61=other");
        check("conditions: over a hundred, null", () -> Patched.conditions(101, null, 0), 101,
                "62 63 66");
        check("conditions: text, two at once", () -> Patched.conditions(5, "abc", 2.5), 5, "64 65");
        check("conditions: none", () -> Patched.conditions(9, "x", 1), 9, "66");
        check("switch, a case", () -> Patched.jump(1), 10, "67 67");
        check("switch, fall through", () -> Patched.jump(2), 7, "67 67 67");
        check("switch, default", () -> Patched.jump(3), 3, "67 67");
        check("the body of a lambda", () -> Patched.inLambda(4), 8, "69");
        check("methods of an interface", Patched::shapes, 9, "70 70 70 70");
        check("a static initialiser", () -> Patched.Initialised.TABLE.length, 3, "71");
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }
}
