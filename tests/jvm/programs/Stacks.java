import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Allocates under every kind of stack: deep recursion, lambdas, streams, exceptions, reflection,
 * method handles, class initialisers, callbacks out of native code, several threads. Arguments:
 * rounds, threads. Prints DONE.
 */
public class Stacks {
    static volatile Object sink;
    static int sum;

    interface Shape { Object make(int n); }
    record Square(int side) implements Shape {
        public Object make(int n) { return new int[side & 7]; }
    }
    record Circle(int radius) implements Shape {
        public Object make(int n) { return new Circle(n); }
    }
    static class Failure extends RuntimeException {
        Failure(String message, Throwable cause) { super(message, cause); }
    }

    static Object recurse(int depth) {
        Object made = new Object[depth & 3];
        sink = made;
        return depth == 0 ? new StringBuilder("x").append(sum) : even(depth - 1);
    }

    static Object even(int depth) {
        return depth == 0 ? new long[2] : recurse(depth - 1);
    }

    static void lambdas(int n) {
        Supplier<Object> captured = () -> new int[n & 15];
        IntFunction<String> text = i -> "n" + i + captured.get().hashCode();
        sink = IntStream.range(0, 8).mapToObj(text).collect(Collectors.toList());
        sink = List.of(3, 1, 2).stream().sorted(Comparator.comparing(i -> "k" + i))
                .map(String::valueOf).collect(Collectors.joining(","));
        Map<String, List<Integer>> groups = IntStream.range(0, 12).boxed()
                .collect(Collectors.groupingBy(i -> "g" + i % 3, TreeMap::new, Collectors.toList()));
        groups.computeIfAbsent("new" + n % 5, key -> new ArrayList<>()).add(n);
        sink = groups;
    }

    static void throwing(int depth) {
        try {
            if (depth > 0) throwing(depth - 1);
            else sink = ((Object[]) sink)[100];
        } catch (ClassCastException | NullPointerException | ArrayIndexOutOfBoundsException e) {
            throw new Failure("at " + depth, e);
        } finally {
            sink = new byte[depth];
        }
    }

    static void exceptions(int n) {
        try {
            throwing(n % 9);
        } catch (Failure e) {
            sink = e.getMessage() + e.getStackTrace().length;
        }
    }

    public static Object reflected(int n) { return new double[n & 3]; }

    static void reflection(int n) throws Throwable {
        Method method = Stacks.class.getMethod("reflected", int.class);
        sink = method.invoke(null, n);
        MethodHandle handle = MethodHandles.lookup()
                .findStatic(Stacks.class, "reflected", MethodType.methodType(Object.class, int.class));
        sink = handle.invoke(n);
        sink = handle.invokeWithArguments(n);
        sink = Square.class.getDeclaredConstructor(int.class).newInstance(n);
        // Not by way of `sink`, where other threads put theirs.
        Shape shape = (Shape) java.lang.reflect.Proxy.newProxyInstance(
                Stacks.class.getClassLoader(),
                new Class<?>[] {Shape.class}, (proxy, called, args) -> new char[n & 3]);
        sink = shape.make(n);
    }

    static class Forked extends RecursiveTask<Integer> {
        final int depth;
        Forked(int depth) { this.depth = depth; }
        @Override protected Integer compute() {
            if (depth == 0) return new ArrayList<>(List.of(1, 2)).size();
            Forked left = new Forked(depth - 1), right = new Forked(depth - 1);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static void round(int n) throws Throwable {
        sink = recurse(n % 300);
        lambdas(n);
        exceptions(n);
        reflection(n);
        Shape shape = n % 3 == 0 ? new Square(n) : new Circle(n);
        sink = shape.make(n);
        sink = shape.toString() + shape.hashCode();
        sink = new HashMap<>(Map.of("a", n, "b", n + 1)).merge("a", 1, Integer::sum);
        sink = String.format("%d %s", n, shape);
        sink = new ThreadLocal<Object>() {
            @Override protected Object initialValue() { return new float[3]; }
        }.get();
        if (n % 16 == 0) ForkJoinPool.commonPool().invoke(new Forked(4));
        if (n % 8 == 0) {
            // Native code that calls back: doPrivileged, class initialisers in a loader of its own.
            sink = java.security.AccessController.doPrivileged(
                    (java.security.PrivilegedAction<Object>) () -> new short[n & 7]);
            sink = new java.util.Scanner("1 2 3 " + n).tokens().map(Integer::valueOf)
                    .collect(Collectors.toList());
            int[][] grid = new int[3][n & 3];
            sink = grid.clone();
            sink = java.util.Arrays.copyOf(new String[] {"a", "b"}, 3);
        }
        sum += n;
    }

    public static void main(String[] args) throws Throwable {
        int rounds = Integer.parseInt(args[0]);
        File watched = args.length > 2 ? new File(args[2]) : null;
        long bytes = watched == null ? 0 : watched.length() + Long.parseLong(args[3]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < rounds || (watched != null && watched.length() < bytes); i++) round(i);
                } catch (Throwable e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(3);
                }
            }, "stacks-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("DONE");
    }
}
