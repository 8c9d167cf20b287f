import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.StringWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Much of the language and the library, in a program that says the same in every run: what it
 * prints with an agent must be what it prints without. Ends with exit code 7.
 */
public class Mixed {
    interface Section { void run() throws Throwable; }

    static void say(Object... words) {
        System.out.println(Stream.of(words).map(String::valueOf).collect(Collectors.joining(" ")));
    }

    // ---- Proxies, reflection, handles

    interface Greeter {
        String greet(String name, int times);
        default String twice(String name) { return greet(name, 2); }
    }

    static void proxies() {
        InvocationHandler handler = (proxy, method, args) -> {
            if (method.isDefault()) return InvocationHandler.invokeDefault(proxy, method, args);
            return method.getName() + Arrays.toString(args);
        };
        Greeter greeter = (Greeter) Proxy.newProxyInstance(Mixed.class.getClassLoader(),
                new Class<?>[] {Greeter.class, Comparable.class}, handler);
        say(greeter.greet("a", 1), greeter.twice("b"), Proxy.isProxyClass(greeter.getClass()));
    }

    static class Members {
        int number = 5;
        private final String[] names = {"x", "y"};
        static long total;
        Members() { }
        private Members(int number, String... names) { this.number = number + names.length; }
        private int sum(int[] values) { return IntStream.of(values).sum() + number; }
        static Object fail() { throw new UnsupportedOperationException("fail"); }
    }

    static void reflection() throws Throwable {
        say(Stream.of(Members.class.getDeclaredFields()).map(Field::getName).sorted().collect(Collectors.toList()));
        say(Stream.of(Members.class.getDeclaredMethods()).map(m -> Modifier.toString(m.getModifiers())
                + " " + m.getName() + Arrays.toString(m.getParameterTypes())).sorted().collect(Collectors.toList()));
        var constructor = Members.class.getDeclaredConstructor(int.class, String[].class);
        Members made = constructor.newInstance(10, new String[] {"p", "q"});
        Method sum = Members.class.getDeclaredMethod("sum", int[].class);
        long result = 0;
        for (int i = 0; i < 3000; i++) result += (int) sum.invoke(made, (Object) new int[] {i, 1});
        say(result);
        try {
            Members.class.getDeclaredMethod("fail").invoke(null);
        } catch (InvocationTargetException e) {
            say(e.getCause(), e.getCause().getStackTrace()[0].getMethodName());
        }
        Object matrix = Array.newInstance(Members.class, 3, 2);
        say(matrix.getClass().getTypeName(), Array.getLength(Array.get(matrix, 1)));
        // Nothing that the agent needs shows up in a class.
        say(Object.class.getDeclaredMethods().length > 5, Object.class.getDeclaredConstructors().length,
                Object.class.getDeclaredFields().length);
    }

    static void handles() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle make = lookup.findConstructor(Members.class, MethodType.methodType(void.class));
        MethodHandle array = MethodHandles.arrayConstructor(String[].class);
        MethodHandle concat = lookup.findVirtual(String.class, "concat",
                MethodType.methodType(String.class, String.class));
        MethodHandle bound = MethodHandles.insertArguments(concat, 1, "!").asType(
                MethodType.methodType(Object.class, Object.class));
        MethodHandle spread = MethodHandles.lookup().findStatic(List.class, "of",
                MethodType.methodType(List.class, Object[].class)).asVarargsCollector(Object[].class);
        VarHandle number = lookup.findVarHandle(Members.class, "number", int.class);
        int total = 0;
        for (int i = 0; i < 2000; i++) {
            Members members = (Members) make.invokeExact();
            number.getAndAdd(members, i);
            total += (int) number.getVolatile(members) + ((String[]) array.invokeExact(i & 3)).length;
        }
        say(total, bound.invoke("handle"), spread.invoke("a", 2, 'c'));
    }

    // ---- Recursion and errors

    static int depth;

    static int descend(int n) {
        depth++;
        Object[] weight = {n, new int[2]};
        return descend(n + 1) + weight.length;
    }

    static class Nest {
        Nest inner;
        Nest() { inner = new Nest(); }
    }

    /** Where the stack ends is a matter of chance, but who is on it is not. */
    static void sayStrangers(StackOverflowError e) {
        for (StackTraceElement frame : e.getStackTrace()) {
            String name = frame.getClassName();
            if (!name.startsWith("Mixed") && !List.of("java.lang.Object", "java.lang.Integer",
                    "java.lang.Number").contains(name)) say("on the stack:", frame);
        }
    }

    static void overflow() {
        for (int i = 0; i < 5; i++) {
            depth = 0;
            try {
                descend(0);
                say("no end");
            } catch (StackOverflowError e) {
                if (depth < 500) say("only", depth);
                sayStrangers(e);
            }
            try {
                new Nest();
                say("no end");
            } catch (StackOverflowError e) {
                sayStrangers(e);
            }
        }
        say("recursion ends", IntStream.range(0, 100).boxed().map(String::valueOf).collect(Collectors.joining()).length());
    }

    static class Failing {
        static int made;
        final int[] values;
        Failing(int n) {
            made++;
            if (n == 0) throw new IllegalArgumentException("zero");
            values = new int[n];  // NegativeArraySizeException
        }
        Failing(Object check) { this(((String) check).length()); }
        Failing() {
            this(parse("12x"));
        }
        static int parse(String text) {
            try {
                return Integer.parseInt(text);
            } finally {
                made += 100;
            }
        }
    }

    static class BadStart {
        static final Object VALUE = make();
        static Object make() { throw new IllegalStateException("bad start"); }
    }

    static String trace(Throwable e) {
        return e + Stream.of(e.getStackTrace()).limit(3)
                .map(f -> " " + f.getMethodName() + ":" + f.getLineNumber()).collect(Collectors.joining());
    }

    static void exceptions() throws InterruptedException {
        List<Section> bad = List.of(() -> new Failing(0), () -> new Failing(-1), () -> new Failing((Object) 1),
                () -> new Failing(), () -> new Failing((Object) ""), () -> say(BadStart.VALUE), () -> say(BadStart.VALUE),
                () -> { Object[] strings = new String[1]; strings[0] = 1; },
                () -> { int[][] cube = new int[2][-1]; },
                () -> { Object none = null; none.hashCode(); },
                () -> { throw new Throwable("plain", null, false, false) { }; });
        for (Section section : bad) {
            try {
                section.run();
                say("not thrown");
            } catch (Throwable e) {
                say(trace(e));
            }
        }
        say(Failing.made);
        for (int i = 0; i < 20_000; i++) {  // C2 has compiled it by then
            try {
                new Failing(i % 3 - 1);
            } catch (RuntimeException e) {
                depth += e.getMessage() == null ? 0 : e.getMessage().length();
            }
        }
        try (AutoCloseable first = () -> { throw new IllegalStateException("close"); }) {
            throw new RuntimeException("body");
        } catch (Exception e) {
            say(e, Arrays.toString(e.getSuppressed()));
            e.printStackTrace();
        }
        Thread dying = new Thread(() -> { throw new IllegalStateException("uncaught", new Error("cause")); }, "dying");
        dying.start();
        dying.join();
    }

    // ---- Finalizers and references

    static final AtomicInteger finalized = new AtomicInteger();

    static class Finalized {
        final Object payload = new Object[10];
        Finalized(boolean fail) { if (fail) throw new IllegalStateException(); }
        @SuppressWarnings({"deprecation", "removal"}) protected void finalize() { finalized.incrementAndGet(); }
    }

    static void finalizers() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            try {
                new Finalized(i % 2 == 0);
            } catch (IllegalStateException e) {
                // an object whose constructor failed is finalized as well
            }
        }
        WeakReference<Object> weak = new WeakReference<>(new Object());
        for (int i = 0; i < 100 && (finalized.get() < 100 || weak.get() != null); i++) {
            System.gc();
            Thread.sleep(20);
        }
        say("finalized", finalized, weak.get());
    }

    // ---- Serialization, records, enums, text

    static class Animal implements Serializable {
        String name = "none";
        transient int[] cache = new int[4];
        List<Animal> friends = new ArrayList<>();
    }
    static class NoDefault { final int seen; NoDefault() { seen = 42; } }
    static class Dog extends Animal {
        Map<String, int[][]> tricks = new TreeMap<>(Comparator.reverseOrder());
        private Object readResolve() { return this; }
    }
    record Point(int x, Object y) implements Serializable {
        Point { if (x < 0) throw new IllegalArgumentException("x " + x); }
        Point(int x) { this(x, List.of(x)); }
        static Point origin() { return new Point(0); }
    }
    record Box(Object... items) { }
    enum Level implements Serializable {
        LOW { int cost(int n) { return n; } },
        HIGH { int cost(int n) { return n * values().length; } };
        abstract int cost(int n);
    }

    static void serialization() throws Exception {
        Dog dog = new Dog();
        dog.name = "rex";
        dog.friends.add(dog);
        dog.tricks.put("sit", new int[][] {{1}, {2, 3}});
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(dog);
            out.writeObject(new Point(3, Level.HIGH));
            out.writeObject(new Level[] {Level.LOW});
        }
        say(bytes.size(), Arrays.hashCode(bytes.toByteArray()));
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            Dog copy = (Dog) in.readObject();
            say(copy.name, copy.friends.get(0) == copy, copy.cache, copy.tricks.get("sit")[1][1]);
            say(in.readObject(), Arrays.toString((Level[]) in.readObject()));
        }
    }

    static void records() {
        say(Point.origin(), new Point(1, null).equals(new Point(1, null)), new Point(2, "z").hashCode());
        say(new Box(1, "2").items().length, Level.valueOf("HIGH").cost(4), Level.LOW.getClass() == Level.class);
        try {
            new Point(-1);
        } catch (IllegalArgumentException e) {
            say(trace(e));
        }
        Map<Level, Long> counts = IntStream.range(0, 50).mapToObj(i -> Level.values()[i % 2])
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        say(counts);
    }

    static void texts() {
        StringWriter out = new StringWriter();
        int hash = 0;
        for (int i = 0; i < 5000; i++) {
            String s = "n" + i + ',' + (i * 0.5) + (i % 2 == 0) + (char) ('a' + i % 26) + null + "\u20ac" + (long) i;
            hash = hash * 31 + s.hashCode();
            if (i % 1000 == 0) out.append(s.toUpperCase().replace("N", "<>").substring(2)).append(' ');
        }
        say(out, hash, String.format("%05d|%-6s|%.3f|%x", 42, "ab", Math.PI, 255), "a,b,,c".split(",").length);
        StringBuilder builder = new StringBuilder();
        for (int i = 0; i < 1000; i++) builder.insert(0, i % 7).append('\u0416').reverse();
        say(builder.toString().hashCode(), new String(builder.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                java.nio.charset.StandardCharsets.UTF_8).equals(builder.toString()));
        say("""
            text
              block\
            """.lines().map(String::strip).collect(Collectors.toList()), "x".repeat(70).length());
    }

    static Object shape(Object value) {
        if (value instanceof Integer number && number > 3) return number * 2;
        return switch (String.valueOf(value)) {
            case "a", "b" -> new char[] {'s'}.length;
            case "null" -> {
                int[] none = {};
                yield none.length;
            }
            default -> value.getClass().getSimpleName();
        };
    }

    // ---- Arrays and control flow

    static int[] finallyOrder(int n) {
        int[] order = new int[4];
        outer:
        for (int i = 0; ; i++) {
            try {
                if (i == n) return order;
                if (i % 2 == 0) continue outer;
                order[i & 3] += new int[] {i}[0];
            } finally {
                order[3]++;
                synchronized (order) {
                    if (i > 10) break outer;
                }
            }
        }
        return new int[0];
    }

    static void arrays() {
        long sum = 0;
        for (int i = 0; i < 3000; i++) {
            int[][][] cube = new int[2][i % 3][];
            Object[] objects = {cube, new long[] {i}, new Object[] {"s", i}};
            Object[] copy = objects.clone();
            Object[] longer = Arrays.copyOf(copy, 5, Object[].class);
            sum += cube[1].length + longer.length + ((long[]) copy[1]).clone()[0] + Arrays.copyOfRange(longer, 1, 3).length;
            byte[] bytes = new byte[i & 63];
            sum += bytes.length == 0 ? 1 : bytes.clone()[0];
        }
        say(sum, Arrays.deepToString(new int[2][3]), Arrays.toString(finallyOrder(3)), finallyOrder(40).length);
        say(shape(5), shape("a"), shape(null), shape(1.0), shape(new ArrayList<>()));
        Integer[] boxes = new Integer[500];
        for (int i = 0; i < boxes.length; i++) boxes[i] = (i * 7919) % 500;
        Arrays.sort(boxes, Comparator.reverseOrder());
        say(boxes[0], boxes[499], Stream.of(boxes).parallel().mapToInt(Integer::intValue).sum());
    }

    // ---- Threads

    static void threads() throws InterruptedException {
        int count = 1000;
        CountDownLatch all = new CountDownLatch(count);
        CountDownLatch go = new CountDownLatch(1);
        ConcurrentHashMap<Integer, List<String>> made = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            int number = t;
            Thread thread = new Thread(null, () -> {
                all.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int i = 0; i < 20; i++) {
                    made.computeIfAbsent(number % 50, k -> new ArrayList<>());
                    made.computeIfPresent(number % 50, (k, list) -> {
                        list.add("t" + number);
                        return list;
                    });
                }
            }, "worker-" + t, 256 * 1024);
            threads.add(thread);
            thread.start();
        }
        all.await();
        go.countDown();
        for (Thread thread : threads) thread.join();
        say(made.size(), made.values().stream().mapToInt(List::size).sum());
        var pool = java.util.concurrent.Executors.newFixedThreadPool(4);
        List<java.util.concurrent.Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int n = i;
            futures.add(pool.submit(() -> new int[n].length));
        }
        int sum = 0;
        try {
            for (var future : futures) sum += future.get();
            pool.shutdown();
            say(sum, pool.awaitTermination(10, TimeUnit.SECONDS));
        } catch (java.util.concurrent.ExecutionException e) {
            say(e);
        }
    }

    public static void main(String[] args) throws Throwable {
        Map<String, Section> sections = new LinkedHashMap<>();
        sections.put("proxies", Mixed::proxies);
        sections.put("reflection", Mixed::reflection);
        sections.put("handles", Mixed::handles);
        sections.put("overflow", Mixed::overflow);
        sections.put("exceptions", Mixed::exceptions);
        sections.put("finalizers", Mixed::finalizers);
        sections.put("serialization", Mixed::serialization);
        sections.put("records", Mixed::records);
        sections.put("texts", Mixed::texts);
        sections.put("arrays", Mixed::arrays);
        sections.put("threads", Mixed::threads);
        for (Map.Entry<String, Section> section : sections.entrySet()) {
            if (args.length > 0 && !Arrays.asList(args).contains(section.getKey())) continue;
            say("==", section.getKey());
            section.getValue().run();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> say("hook", new int[3].length)));
        System.exit(7);
    }
}
