import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Allocates while an agent moves the code of this class about, round after round
 * (agents/MovingAgent.java does it and offers `round()`). Arguments: rounds, threads. Each round
 * allocates in some hundred methods of the JDK. Prints the resident set after a quarter of the rounds
 * and at the end, in KiB, and then allocates Last in quiet() only.
 */
public class Moving {
    static class Item { long a; }
    static class Last { long a; }

    static volatile Object sink;
    static volatile boolean stop;

    static void allocate() {
        int calls = 0;
        calls++;
        sink = new Item();
        calls++;
        calls++;
        sink = new Item[calls];
        calls++;
    }

    static void quiet() {
        int calls = 0;
        calls++;
        sink = new Last();
        calls++;
    }

    static void walkThroughTheJdk() {
        sink = String.format("%s %5d %8.3f %x %tF", "a", 7, 1.5, 255, LocalDate.of(2020, 1, 1));
        sink = Stream.of("b,c,d".split(",")).map(String::toUpperCase).sorted(Comparator.reverseOrder())
            .collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.joining()));
        sink = new BigDecimal("1.25").setScale(1, RoundingMode.UP).multiply(new BigDecimal("17")).toString();
        sink = Pattern.compile("(a|b)+[c-f]{2,3}?x*$").matcher("ababcdx").results().map(MatchResult::group).collect(Collectors.toList());
        sink = LocalDate.parse("2021-03-04").plusWeeks(3).format(DateTimeFormatter.ISO_WEEK_DATE);
    }

    static long residentKiB() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return -1;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        Method round = Class.forName("MovingAgent").getMethod("round");
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                while (!stop) {
                    allocate();
                    LockSupport.parkNanos(20_000);
                }
            });
            threads[i].start();
        }
        for (int i = 1; i <= rounds; i++) {
            round.invoke(null);
            allocate();
            walkThroughTheJdk();
            if (i == rounds / 4) System.out.println("RSS " + residentKiB());
        }
        System.out.println("RSS " + residentKiB());
        stop = true;
        for (Thread thread : threads) thread.join();
        for (int i = 0; i < 1000; i++) quiet();
    }
}
