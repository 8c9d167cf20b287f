// Methods of every kind, called so often as it says: "counts N THREADS" prints "method calls" of each,
// then "counted". "busy THREADS" keeps some of them busy, "loop" never returns from one, and "steps" is nearly
// always in a short call, until "stop".
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntUnaryOperator;

public class Probed {
    static volatile int sink;
    static volatile boolean stop;

    interface Shape {
        default int area(int side) { return side * side; }
        static int corners() { return 4; }
        int sides();
    }

    static class Square implements Shape {
        @Override public int sides() { return 4; }
    }

    enum Colour { RED, GREEN }

    static class Cart {
        int sum;
        static long carts;
        final String owner;

        Cart(String owner) {
            this.owner = owner;
            carts = carts + 1;
        }

        int total(int price, long many, String name, Object thing, boolean gift, char letter,
                  double rate) {
            int before = sum;
            sum = before + price;
            if (price < 0) throw new IllegalArgumentException("price " + price);
            return sum;
        }

        synchronized long locked(long step) { return sum + step; }
        void nothing() { }
        Colour colour(Integer number, int[] numbers) { return Colour.GREEN; }
        @Override public String toString() { throw new IllegalStateException("must not be called"); }
        @Override public int hashCode() { throw new IllegalStateException("must not be called"); }
    }

    static class Late {
        static int made;
        static { made = 5; }
        static int twice(int i) { return 2 * i; }
    }

    // See BreakingAgent.
    static class Brittle {
        static int number() { return 77; }
        static int twice() { return 2 * number(); }
    }

    static final IntUnaryOperator LAMBDA = i -> i + 1;

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static void thrower(int depth) {
        if (depth == 0) throw new IllegalStateException("known");
        thrower(depth - 1);
    }
    static native int nothingHere();
    static native String codes(Class<?> type);  // native/method_codes.c

    static void one(int rounds) {
        Square square = new Square();
        for (int i = 0; i < rounds; i++) {
            Cart cart = new Cart("me");
            cart.total(i, i * 1_000_000_000L, "name " + i, cart, i % 2 == 0, 'x', i / 2.0);
            cart.locked(i);
            cart.nothing();
            sink += Brittle.twice();
            sink += square.area(i) + Shape.corners() + LAMBDA.applyAsInt(i);
            if (i % 100 == 0) {
                fib(10);
                try {
                    thrower(3);
                } catch (IllegalStateException expected) {
                    sink++;
                }
            }
        }
    }

    static void counts(int rounds, int count) throws Exception {
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            threads[t] = new Thread(() -> one(rounds), "counter-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        long all = (long) rounds * count, some = (long) ((rounds + 99) / 100) * count;
        System.out.println("Probed$Cart.<init> " + all);
        System.out.println("Probed$Cart.total " + all);
        System.out.println("Probed$Cart.locked " + all);
        System.out.println("Probed$Cart.nothing " + all);
        System.out.println("Probed$Shape.area " + all);
        System.out.println("Probed$Shape.corners " + all);
        System.out.println("Probed.lambda$static$0 " + all);
        System.out.println("Probed.fib " + some * 177);
        System.out.println("Probed.thrower " + some * 4);
        System.out.println("counted");
    }

    static void virtuals(int count, int rounds) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            Runnable work = () -> {
                for (int i = 0; i < rounds; i++) {
                    fib(5);
                    if (i % 10 == 0) Thread.yield();
                }
            };
            threads[t] = (Thread) Class.forName("java.lang.Thread$Builder")
                .getMethod("start", Runnable.class).invoke(builder, work);
        }
        for (Thread thread : threads) thread.join();
        System.out.println("Probed.fib " + (long) count * rounds * 15);
        System.out.println("counted");
    }

    // Classes of one name, each of a loader of its own.
    static final List<Class<?>> twins = new ArrayList<>();

    static int load() {
        HashMap<String, Integer> map = new HashMap<>();
        for (int i = 0; i < 100; i++) map.put("key" + i, i);
        String[] keys = map.keySet().toArray(new String[0]);
        int sum = 0;
        while (!stop) {
            for (String key : keys) sum += map.get(key) + key.hashCode() + Late.twice(sum) + work(sum);
        }
        return sum;
    }
    static int work(int i) { return i ^ 5; }

    static volatile int calls;
    // So many calls of work(), and other things to do.
    static void mix() {
        double other = 1;
        while (!stop) {
            for (int i = calls; i > 0; i--) sink = work(sink);
            for (int i = 0; i < 20_000; i++) other = Math.sqrt(other + i);
        }
        sink += (int) other;
    }

    static void loop() {
        while (!stop) sink++;
    }

    // `crowd` threads that have each called nothing() and wait; then this one calls nothing() so often.
    static void crowd(int crowd, int calls) throws InterruptedException {
        CountDownLatch called = new CountDownLatch(crowd), over = new CountDownLatch(1);
        Cart cart = new Cart("crowd");
        for (int i = 0; i < crowd; i++) {
            Thread thread = new Thread(() -> {
                cart.nothing();
                called.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        called.await();
        Thread last = new Thread(() -> {
            for (int i = 0; i < calls; i++) cart.nothing();
        });
        last.start();
        last.join();
        over.countDown();
    }

    static void step() throws InterruptedException { Thread.sleep(20); }

    static void steps() {
        try {
            while (!stop) step();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            switch (words[0]) {
                case "counts": counts(Integer.parseInt(words[1]), Integer.parseInt(words[2])); break;
                case "virtuals": virtuals(Integer.parseInt(words[1]), Integer.parseInt(words[2])); break;
                case "values":
                    Cart cart = new Cart("owner");
                    cart.total(7, 5_000_000_000L, "cup", cart, true, 'z', 2.5);
                    cart.total(101, -1, null, null, false, 'y', 0.1);
                    cart.colour(42, new int[3]);
                    cart.nothing();
                    try {
                        cart.total(-5, 0, "bad", "thing", false, 'x', 0);
                    } catch (IllegalArgumentException expected) {
                        sink++;
                    }
                    System.out.println("counted");
                    break;
                case "load":  // and no more: it is linked later
                    Class.forName(words[1], false, Probed.class.getClassLoader());
                    System.out.println("counted");
                    break;
                case "twin":
                    URL place = new File(words[1]).toURI().toURL();
                    twins.add(new URLClassLoader(new URL[] {place}).loadClass("Twin"));
                    System.out.println("counted");
                    break;
                case "twins":
                    for (int i = Integer.parseInt(words[1]); i > 0; i--) {
                        for (Class<?> twin : twins) twin.getMethod("run").invoke(null);
                    }
                    System.out.println("counted");
                    break;
                case "late":
                    sink += Late.twice(Late.made);
                    System.out.println("counted");
                    break;
                case "codes":
                    System.load(words[1]);
                    one(1);  // all are linked
                    List<Class<?>> types = new ArrayList<>(List.of(Probed.class, Cart.class, Shape.class,
                                                                   String.class, HashMap.class));
                    if (words.length > 2) types.add(Class.forName(words[2]));
                    for (Class<?> type : types) {
                        for (String line : codes(type).split("\n")) {
                            System.out.println(type.getName() + "." + line);
                        }
                    }
                    for (Class<?> twin : twins) {
                        for (String line : codes(twin).split("\n")) {
                            System.out.println("Twin" + twins.indexOf(twin) + "." + line);
                        }
                    }
                    System.out.println("counted");
                    break;
                case "mix":
                    calls = Integer.parseInt(words[1]);
                    if (stop) {
                        stop = false;
                        Thread mix = new Thread(Probed::mix, "mix");
                        mix.setDaemon(true);
                        mix.start();
                    }
                    System.out.println("counted");
                    break;
                case "busy":
                    stop = false;
                    for (int i = Integer.parseInt(words[1]); i > 0; i--) {
                        Thread busy = new Thread(() -> sink += load(), "busy-" + i);
                        busy.setDaemon(true);
                        busy.start();
                    }
                    System.out.println("counted");
                    break;
                case "crowd":
                    crowd(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    System.out.println("counted");
                    break;
                case "steps":
                    stop = false;
                    Thread steps = new Thread(Probed::steps, "steps");
                    steps.setDaemon(true);
                    steps.start();
                    Thread.sleep(100);
                    System.out.println("counted");
                    break;
                case "loop":
                    stop = false;
                    Thread loop = new Thread(Probed::loop, "looper");
                    loop.setDaemon(true);
                    loop.start();
                    Thread.sleep(100);
                    System.out.println("counted");
                    break;
                default:
                    stop = true;
                    System.out.println("counted");
            }
        }
    }
}
