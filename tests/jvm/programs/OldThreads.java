import java.util.Scanner;
import java.util.concurrent.Phaser;

/**
 * Threads that have allocated for a while when somebody begins to look. Arguments: how many, and how
 * many arrays of about 1 KiB each has made before "ready". For a line with a number each makes so
 * many more; the answer is how many that is in all.
 */
public class OldThreads {
    static volatile int wanted;
    static volatile Object keep;

    static void allocate(int arrays) {
        for (int i = 0; i < arrays; i++) keep = new long[125];  // 1,016 bytes, whatever a reference takes
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        Phaser turns = new Phaser(threads + 1);
        wanted = Integer.parseInt(args[1]);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                for (;;) {
                    allocate(wanted);
                    turns.arriveAndAwaitAdvance();  // done
                    turns.arriveAndAwaitAdvance();  // the next turn
                }
            }, "old-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        turns.arriveAndAwaitAdvance();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            wanted = Integer.parseInt(in.nextLine().trim());
            turns.arriveAndAwaitAdvance();
            turns.arriveAndAwaitAdvance();
            System.out.println((long) threads * wanted);
        }
    }
}
