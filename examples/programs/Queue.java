package shop;

import java.util.concurrent.ThreadLocalRandom;

/** Three tills and one printer: who prints holds its lock, and the others wait. For ARG seconds. */
public final class Queue {
    private static final Object PRINTER = new Object();
    private static volatile int printed;

    private static void print(String receipt) throws InterruptedException {
        synchronized (PRINTER) {
            Thread.sleep(receipt.length());  // a slow printer
            printed++;
        }
    }

    private static void serve(long end) {
        try {
            while (System.nanoTime() < end) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(10));  // the customer packs
                print("a receipt of some thirty letters");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread[] tills = new Thread[3];
        for (int i = 0; i < tills.length; i++) {
            tills[i] = new Thread(() -> serve(end), "till " + (i + 1));
            tills[i].start();
        }
        for (Thread till : tills) till.join();
        System.out.println(printed + " receipts");
    }
}
