// Calls of known numbers; prints "method calls exceptions" of each, and with "clock" the nanoseconds
// that some of them took by their own clock.
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public class Calls {
    static volatile int sink;
    static final AtomicLong steps = new AtomicLong(), deeps = new AtomicLong();

    interface Shape {
        default double area() { return 2; }
        static int corners() { return 4; }
    }

    static class Square implements Shape {
        final int side;
        Square(int side) {
            if (side < 0) throw new IllegalArgumentException("no such side");
            this.side = side;
        }
        @Override public double area() { return (double) side * side; }
    }

    static class Framed extends Square {
        Framed(int side) { super(side); }
    }

    static class Round implements Shape { }

    static void leaf(int i) { sink = i; }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static void even(int n) { if (n > 0) odd(n - 1); }
    static void odd(int n) { if (n > 0) even(n - 1); }
    static void thrower(int depth) {
        if (depth == 0) throw new IllegalStateException("known");
        thrower(depth - 1);
    }
    static void catcher() {
        try {
            thrower(9);
        } catch (IllegalStateException expected) {
            sink++;
        }
    }
    static synchronized void locked() { sink++; }
    static void overflow() { overflow(); }

    static void busy(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < end) sink++;
    }
    static void inner() { busy(60); }
    static long innerNanos;
    static void outer() {
        busy(40);
        long begin = System.nanoTime();
        inner();
        innerNanos += System.nanoTime() - begin;
        busy(20);
    }
    static void again(int n) { busy(10); if (n > 0) again(n - 1); }

    static void step(int i) throws InterruptedException {
        steps.incrementAndGet();
        if (i % 3 == 0) Thread.sleep(1); else Thread.yield();
        deep(i % 7);
    }
    static int deep(int n) {
        deeps.incrementAndGet();
        if (n > 0) return 1 + deep(n - 1);
        Thread.yield();
        return 0;
    }
    static void job(int n) {
        try {
            for (int i = 0; i < 10; i++) step(n + i);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of each of these the end is not seen: what ends them is a constructor of their superclass. */
    static void failing() {
        for (int i = 0; i < 300_000; i++) {
            try {
                new Framed(-1);
            } catch (IllegalArgumentException expected) {
                sink++;
            }
            leaf(i);
        }
        tell("Calls$Square.<init>", 300_000, 300_000);
        tell("Calls$Framed.<init>", 300_000, 300_000);
        tell("Calls.leaf", 300_000, 0);
    }

    /** What comes after a constructor that has failed is not its. */
    static void failedOnce() {
        try {
            new Framed(-1);
        } catch (IllegalArgumentException expected) {
            sink++;
        }
        for (int i = 0; i < 500_000; i++) leaf(i);
        tell("Calls$Framed.<init>", 1, 1);
        tell("Calls.leaf", 500_000, 0);
    }

    static void tell(String method, long calls, long exceptions) {
        System.out.println(method + " " + calls + " " + exceptions);
    }

    static void counts() throws Exception {
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> { for (int i = 0; i < 20_000; i++) leaf(i); }, "caller-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        tell("Calls.leaf", 80_000, 0);
        fib(18);
        tell("Calls.fib", 8361, 0);
        even(100);
        tell("Calls.even", 51, 0);
        tell("Calls.odd", 50, 0);
        for (int i = 0; i < 100; i++) catcher();
        tell("Calls.thrower", 1000, 1000);
        tell("Calls.catcher", 100, 0);
        for (int i = 0; i < 500; i++) {
            new Framed(i).area();
            new Round().area();
            Shape.corners();
            locked();
        }
        for (int i = 0; i < 30; i++) {
            try {
                new Framed(-1);
            } catch (IllegalArgumentException expected) {
                sink++;
            }
        }
        tell("Calls$Square.<init>", 530, 30);
        tell("Calls$Framed.<init>", 530, 30);
        tell("Calls$Square.area", 500, 0);
        tell("Calls$Shape.area", 500, 0);
        tell("Calls$Shape.corners", 500, 0);
        tell("Calls.locked", 500, 0);
    }

    static void clock() {
        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            outer();
            System.out.println("outer " + (System.nanoTime() - begin));
        }
        System.out.println("inner " + innerNanos);
        long begin = System.nanoTime();
        again(9);
        System.out.println("again " + (System.nanoTime() - begin));
    }

    static void end(String how) {
        long begin = System.nanoTime();
        try {
            new Framed(-1);
        } catch (IllegalArgumentException expected) {
            sink++;
        }
        busy(150);
        System.out.println("end " + (System.nanoTime() - begin));
        if (how.equals("exit")) System.exit(0);
        Runtime.getRuntime().halt(0);
    }

    static void virtuals() throws Exception {
        ExecutorService each = (ExecutorService)
            Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int n = 0; n < 10_000; n++) {
            int k = n;
            each.submit(() -> job(k));
        }
        each.shutdown();
        each.awaitTermination(100, java.util.concurrent.TimeUnit.SECONDS);
        tell("Calls.job", 10_000, 0);
        tell("Calls.step", steps.get(), 0);
        tell("Calls.deep", deeps.get(), 0);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "counts" -> counts();
            case "clock" -> clock();
            case "exit", "halt" -> end(args[0]);
            case "virtualExit" -> {
                Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, (Runnable) () -> end("exit"));
                Thread.sleep(60_000);
            }
            case "virtual" -> virtuals();
            case "failing" -> failing();
            case "failedOnce" -> failedOnce();
            case "overflow" -> {
                try {
                    overflow();
                } catch (StackOverflowError expected) {
                    System.out.println("overflowed");
                }
                counts();
            }
            case "serve" -> {
                System.out.println("ready");
                java.util.Scanner wishes = new java.util.Scanner(System.in);
                while (wishes.hasNextLine()) {
                    if (wishes.nextLine().equals("virtual")) virtuals(); else counts();
                    System.out.println("counted");
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
