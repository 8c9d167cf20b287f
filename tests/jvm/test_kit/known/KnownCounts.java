package known;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * What each method makes, counted by hand, stands behind it: "// OBJECTS BYTES" of one round, with
 * references of 4 bytes; "once OBJECTS BYTES" is made beside the rounds, and "21: ..." holds for that
 * JDK and later ones. "steady": what the JDK makes inside is its own matter, but the same each time.
 */
class KnownCounts {
    static final int ROUNDS = Integer.getInteger("known.rounds", 20_000);
    static final List<Integer> SMALL = List.of(1, 2, 3);
    static final Object[] SINK = new Object[1];

    record Point(int x, int y) { }

    enum Color { RED, GREEN, BLUE }

    static final class Plain extends RuntimeException {
        Plain() {
            super(null, null, false, false);
        }
    }

    static final class Inner {
        int value;
    }

    interface Loop {
        void round(int i);
    }

    static void rounds(Loop loop) {
        for (int i = 0; i < ROUNDS; ++i) {
            loop.round(i);
        }
    }

    @BeforeEach
    void makesWhatIsNotTheTests() {
        SINK[0] = new long[1000];
    }

    @AfterEach
    void makesThatToo() {
        SINK[0] = new long[1000];
    }

    @Test
    void nothing() { // 0 0
    }

    @Test
    void integers() { // 1 16
        rounds(i -> SINK[0] = 1000 + i);
    }

    @Test
    void integersThatNobodyNeeds() { // 1 16
        int sum = 0;
        for (int i = 0; i < ROUNDS; ++i) {
            Integer box = 1000 + i;
            sum += box;
        }
        SINK[0] = SMALL.get(sum & 1);
    }

    @Test
    void integersOfTheCache() { // 0 0
        rounds(i -> SINK[0] = i % 100);
    }

    @Test
    void longs() { // 1 24
        rounds(i -> SINK[0] = 1000L + i);
    }

    @Test
    void doubles() { // 1 24
        rounds(i -> SINK[0] = 0.5 + i);
    }

    @Test
    void characters() { // 1 16
        rounds(i -> SINK[0] = (char) (1000 + i));
    }

    @Test
    void lambdasThatCaptureNothing() { // 0 0
        rounds(i -> {
            Supplier<Object> supplier = () -> "x";
            SINK[0] = supplier.get();
        });
    }

    @Test
    void lambdasThatCapture() { // 1 16
        rounds(i -> {
            IntSupplier supplier = () -> i;
            SINK[0] = SMALL.get(supplier.getAsInt() & 1);
        });
    }

    @Test
    void boundMethods() { // 1 16
        rounds(i -> {
            Supplier<Object> supplier = SMALL::size;
            SINK[0] = supplier;
        });
    }

    @Test
    void functionsOfFunctions() { // 2 48, once 1 16
        IntUnaryOperator more = x -> x + 1;
        rounds(i -> SINK[0] = more.andThen(more).compose(more));
    }

    @Test
    void anonymousClasses() { // 1 32, once 1 16
        rounds(i -> SINK[0] = new Object() {
            final int value = i;
            final KnownCounts outer = KnownCounts.this;
        });
    }

    @Test
    void records() { // 1 24
        rounds(i -> SINK[0] = new Point(i, i));
    }

    @Test
    void recordsThatAreCompared() { // steady: what links equals() is some of it
        rounds(i -> SINK[0] = SMALL.get(new Point(i, 1).equals(new Point(i, 2)) ? 1 : 0));
    }

    @Test
    void concatenation() { // 2 48
        rounds(i -> SINK[0] = "a" + (10_000 + i));
    }

    @Test
    void builders() { // 4 104
        rounds(i -> SINK[0] = new StringBuilder().append("b").append(10_000 + i).toString());
    }

    @Test
    void substrings() { // 2 48
        rounds(i -> SINK[0] = "some text".substring(i % 3 + 1, i % 3 + 5));
    }

    @Test
    void joiners() { // steady
        rounds(i -> SINK[0] = new StringJoiner(",").add("a").add("b").toString());
    }

    static int sum(int... numbers) {
        int sum = 0;
        for (int number : numbers) {
            sum += number;
        }
        return sum;
    }

    @Test
    void arguments() { // 1 32
        rounds(i -> SINK[0] = SMALL.get(sum(i, 1, 2) & 1));
    }

    static Object first(Object... some) {
        return some[0];
    }

    @Test
    void argumentsWithBoxes() { // 3 56
        rounds(i -> SINK[0] = first(1000 + i, 2000 + i));
    }

    @Test
    void iterators() { // 1 32, once 4 104
        List<Integer> list = new ArrayList<>(SMALL);
        rounds(i -> {
            for (Integer one : list) {
                SINK[0] = one;
            }
        });
    }

    @Test
    void entries() { // 1 40, once 5 192, 21: 1 32, once 5 192
        Map<String, String> map = new HashMap<>();
        map.put("a", "b");
        rounds(i -> {
            for (Map.Entry<String, String> one : map.entrySet()) {
                SINK[0] = one;
            }
        });
    }

    @Test
    void growingLists() { // 3 160
        rounds(i -> {
            List<Object> list = new ArrayList<>();
            for (int n = 0; n < 11; ++n) {
                list.add(SMALL);
            }
            SINK[0] = list;
        });
    }

    @Test
    void maps() { // 3 160
        rounds(i -> {
            Map<String, String> map = new HashMap<>();
            map.put("a", "b");
            SINK[0] = map;
        });
    }

    @Test
    void linkedLists() { // 4 104
        rounds(i -> {
            List<Object> list = new LinkedList<>();
            list.add(SMALL);
            list.add(SMALL);
            list.add(SMALL);
            SINK[0] = list;
        });
    }

    @Test
    void deques() { // 2 112
        rounds(i -> SINK[0] = new ArrayDeque<>());
    }

    @Test
    void listsOfTwo() { // 1 24
        rounds(i -> SINK[0] = List.of("a", "b"));
    }

    @Test
    void optionals() { // 1 16
        rounds(i -> SINK[0] = Optional.of("a"));
    }

    @Test
    void copies() { // 2 832, once 2 432
        int[] numbers = new int[100];
        rounds(i -> SINK[0] = i % 2 == 0 ? pair(numbers.clone(), Arrays.copyOf(numbers, 100))
                : pair(Arrays.copyOfRange(numbers, 0, 100), numbers.clone()));
    }

    static Object pair(Object one, Object other) {
        return one != null ? one : other;
    }

    @Test
    void arraysOfArrays() { // 3 88
        rounds(i -> SINK[0] = new int[2][3]);
    }

    @Test
    void valuesOfEnums() { // 1 32
        rounds(i -> SINK[0] = Color.values());
    }

    @Test
    void exceptions() { // 1 40
        rounds(i -> {
            try {
                throw new Plain();
            } catch (Plain plain) {
                SINK[0] = plain;
            }
        });
    }

    @Test
    void streamsOfNumbers() { // steady
        rounds(i -> SINK[0] = SMALL.get(IntStream.range(0, 10).map(x -> x + i).sum() & 1));
    }

    @Test
    void streamsOfObjects() { // steady
        rounds(i -> SINK[0] = SMALL.stream().filter(x -> x > 1).map(x -> x + 1000)
                .collect(Collectors.toList()));
    }

    @Test
    void sorting() { // steady
        rounds(i -> {
            List<Integer> list = new ArrayList<>(SMALL);
            list.sort(Comparator.reverseOrder());
            SINK[0] = list;
        });
    }

    @Test
    void formatters() { // steady
        rounds(i -> SINK[0] = String.format("%5d|%s|%x", 10_000 + i, "x", 10_000 + i));
    }

    @Test
    void regularExpressions() { // steady
        Pattern pattern = Pattern.compile("(a+)(b*)c");
        rounds(i -> {
            Matcher matcher = pattern.matcher("xaabbc");
            SINK[0] = matcher.find() ? matcher.group(1) : null;
        });
    }

    @Test
    void splitting() { // steady
        rounds(i -> SINK[0] = "a,b,c".split(","));
    }

    @Test
    void reflection() throws Exception { // steady
        java.lang.reflect.Method method = KnownCounts.class.getDeclaredMethod("sum", int[].class);
        int[] numbers = {1, 2, 3};
        for (int i = 0; i < ROUNDS; ++i) {
            SINK[0] = method.invoke(null, numbers);
        }
    }

    @Test
    void classesThatAreUsedForTheFirstTime() { // 1 16
        for (int i = 0; i < ROUNDS; ++i) {
            SINK[0] = new FirstUsed();
        }
    }

    static final class FirstUsed {
        static final Map<String, int[]> TABLE = new TreeMap<>(); // a class initialiser's: not counted

        static {
            for (int i = 0; i < 100; ++i) {
                TABLE.put("key" + i, new int[i]);
            }
        }
    }

    @Test
    void threads() throws InterruptedException { // steady
        for (int n = 0; n < 10; ++n) {
            Thread thread = new Thread(() -> rounds(i -> SINK[0] = new Inner()), "counted");
            thread.start();
            thread.join();
        }
    }

    @Test
    void exceptionsOfThreads() throws InterruptedException { // steady
        Thread thread = new Thread(() -> {
            for (int i = 0; i < ROUNDS; ++i) {
                SINK[0] = new IllegalStateException("with a stack");
            }
        }, "counted");
        thread.start();
        thread.join();
    }

    @Test
    void pools() throws Exception { // steady
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int n = 0; n < 10; ++n) {
            pool.submit(() -> rounds(i -> SINK[0] = new Inner()));
        }
        pool.shutdown();
        pool.awaitTermination(100, TimeUnit.SECONDS);
    }

    @Test
    void futures() { // steady
        Object made = CompletableFuture.supplyAsync(() -> {
            rounds(i -> SINK[0] = new Inner());
            return SINK[0];
        }).thenApply(x -> x).join();
        SINK[0] = made;
    }

    @Test
    void callbacks() { // 4 96
        rounds(i -> SINK[0] = CompletableFuture.completedFuture("abc").thenApply(String::toUpperCase));
    }

    @Test
    void callbacksOfAPool() throws Exception { // steady
        ForkJoinPool pool = new ForkJoinPool(3);
        for (int n = 0; n < 100; ++n) {
            SINK[0] = CompletableFuture.supplyAsync(() -> "abc", pool).thenApply(String::toUpperCase).get();
        }
        pool.shutdown();
        pool.awaitTermination(100, TimeUnit.SECONDS);
    }

    @Test
    void parallelStreams() throws Exception { // steady
        ForkJoinPool pool = new ForkJoinPool(3);
        for (int n = 0; n < 100; ++n) {
            // What submit() makes of a Callable depends on the calling thread from JDK 27 on.
            SINK[0] = pool.submit(ForkJoinTask.adapt(() -> IntStream.range(0, 1000).parallel()
                    .mapToObj(i -> new Inner()).collect(Collectors.toList()))).get();
        }
        pool.shutdown();
        pool.awaitTermination(100, TimeUnit.SECONDS);
    }

    @Test
    void linkedMapsOfLists() { // steady
        rounds(i -> {
            Map<String, List<String>> map = new LinkedHashMap<>();
            map.computeIfAbsent("a", key -> new ArrayList<>()).add("b");
            Iterator<List<String>> values = map.values().iterator();
            SINK[0] = Collections.unmodifiableList(values.next());
        });
    }

    @RepeatedTest(3)
    void repeated() { // 1 16
        rounds(i -> SINK[0] = new Inner());
    }
}
