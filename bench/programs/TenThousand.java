import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * 10,000 virtual threads at once, each of which parses, sorts and joins text between two waits: work
 * as a request of a server does it. Needs JDK 21.
 */
public class TenThousand {
    static int request(int number) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40; i++) text.append((number * 31 + i * 17) % 1000).append(',');
        Thread.sleep(20);
        List<Integer> numbers = new ArrayList<>();
        for (String word : text.toString().split(",")) numbers.add(Integer.valueOf(word));
        numbers.sort(null);
        Thread.sleep(20);
        return String.join(";", numbers.stream().map(String::valueOf).toList()).length();
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int round = 0; round < 4; round++) {
            try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Integer>> all = new ArrayList<>();
                for (int i = 0; i < 10_000; i++) {
                    int number = i;
                    all.add(executor.submit(() -> request(number)));
                }
                for (Future<Integer> one : all) sum += one.get();
            }
        }
        System.out.println(sum);
    }
}
