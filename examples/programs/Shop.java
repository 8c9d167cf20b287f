package shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ThreadLocalRandom;

/** A small server in pretence: two workers price orders and print receipts, for ARG seconds. */
public final class Shop {
    record Item(String name, int cents) { }

    private final Map<String, Integer> sold = new HashMap<>();  // boxed counts: an allocation story

    private List<Item> order() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<Item> items = new ArrayList<>();
        for (int i = random.nextInt(1, 20); i > 0; i--) {
            items.add(new Item("article " + random.nextInt(500), random.nextInt(100, 10_000)));
        }
        return items;
    }

    /** Builds its text by +=, which copies all of it once a line: the site to be found. */
    private String receipt(List<Item> items) {
        String text = "";
        int total = 0;
        for (Item item : items) {
            text += item.name() + " " + item.cents() / 100 + "." + item.cents() % 100 + "\n";
            total += item.cents();
        }
        return text + "total " + total;
    }

    private synchronized void book(List<Item> items) {
        for (Item item : items) sold.merge(item.name(), 1, Integer::sum);
    }

    private void work(long end) {
        while (System.nanoTime() < end) {
            for (int i = 0; i < 50; i++) {
                List<Item> items = order();
                receipt(items);
                book(items);
            }
            try {
                Thread.sleep(20);  // a shop waits for customers
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
        Shop shop = new Shop();
        ExecutorService workers = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 2; i++) workers.execute(() -> shop.work(end));
        workers.shutdown();
        workers.awaitTermination(1, TimeUnit.DAYS);
        System.out.println("sold " + shop.sold.values().stream().mapToInt(n -> n).sum() + " articles");
    }
}
