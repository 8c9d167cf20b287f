import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two thousand virtual threads that allocate, sleep, wait and lock; says the same in every run.
 * Each makes PER_THREAD Items.
 */
public class VirtualThreads {
    static final int THREADS = 2000, PER_THREAD = 10;

    record Item(int thread, int number, Object[] more) { }
    sealed interface Shape permits Circle, Square { }
    record Circle(double radius) implements Shape { }
    record Square(double side) implements Shape { }

    static final ReentrantLock lock = new ReentrantLock();
    static final Object monitor = new Object();
    static int locked, entered;

    static List<Item> work(int number) throws InterruptedException {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < PER_THREAD; i++) {
            items.add(new Item(number, i, new Object[i]));
            if (i == 3) Thread.sleep(Duration.ofMillis(number % 5));
            if (i == 5) Thread.yield();
            lock.lock();
            try {
                locked += new int[] {1}[0];
            } finally {
                lock.unlock();
            }
            synchronized (monitor) {  // may pin its carrier
                entered += List.of(i, number).size();
            }
        }
        return items;
    }

    static double area(Shape shape) {
        return switch (shape) {
            case Circle(double radius) -> radius * radius * 3;
            case Square(double side) when side > 5 -> -1;
            case Square(var side) -> side * side;
        };
    }

    static int recursion(int n) {
        Object[] weight = {n};
        return n == 0 ? 0 : recursion(n - 1) + weight.length;
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<Item>>> futures = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int number = t;
                futures.add(executor.submit(() -> work(number)));
            }
            for (Future<List<Item>> future : futures) {
                for (Item item : future.get()) sum += item.thread() * 10L + item.number() + item.more().length;
            }
        }
        System.out.println(sum + " " + locked + " " + entered);

        Thread named = Thread.ofVirtual().name("named").unstarted(() -> {
            try {
                recursion(1_000_000);
            } catch (StackOverflowError e) {
                System.out.println("recursion ends in " + Thread.currentThread().getName());
            }
            throw new IllegalStateException("uncaught");
        });
        named.setUncaughtExceptionHandler((thread, e) -> System.out.println(thread.getName() + ": " + e.getMessage()));
        named.start();
        named.join();

        List<Shape> shapes = new ArrayList<>(List.of(new Circle(2), new Square(6), new Square(3)));
        shapes.sort(Comparator.comparingDouble(VirtualThreads::area));
        System.out.println(shapes);
    }
}
