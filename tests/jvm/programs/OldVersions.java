// "start" has one more thread run keep() for good, which calls leaf() at two lines; "turns" waits until
// all of them have made some more, and "end" until they have ended.
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;

public class OldVersions {
    static volatile boolean stop;
    static volatile int sink;
    static final AtomicLong turns = new AtomicLong();

    static int leaf(int n) {
        return n + 1;
    }

    static void keep() {
        while (!stop) {
            sink = leaf(sink);  // first call
            turns.incrementAndGet();
            sink = leaf(sink + 2);  // second call
            try {
                Thread.sleep(1);
            } catch (InterruptedException end) {
                return;
            }
        }
    }

    static class Keeper extends Thread {
        Keeper(int number) { super("keeper-" + number); }
        @Override public void run() {
            keep();  // keeper's call
        }
    }

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        Scanner in = new Scanner(System.in);
        System.out.println("ready");
        while (in.hasNextLine()) {
            String told = in.nextLine();
            if (told.equals("end")) {
                end(threads);
            } else if (told.equals("start")) {
                threads.add(new Keeper(threads.size()));
                threads.get(threads.size() - 1).start();
            } else {
                long enough = turns.get() + 30 * threads.size();
                while (turns.get() < enough) Thread.sleep(1);
            }
            System.out.println("done");
        }
        end(threads);
    }

    static void end(List<Thread> threads) throws Exception {
        stop = true;
        for (Thread thread : threads) thread.join();
        threads.clear();
        stop = false;
    }
}
