import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that never leave the loop they are in, and allocate so little that one TLAB lasts them for
 *  hours. Answers each line with how many arrays they have made. */
public class InsideLoop {
    static final AtomicLong made = new AtomicLong();
    static volatile Object keep;

    static void count() { made.incrementAndGet(); }

    static void loop() {
        try {
            for (;;) {
                keep = new int[8];
                count();
                Thread.sleep(2);
            }
        } catch (InterruptedException ends) {
            keep = null;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(InsideLoop::loop, "loop-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        while (made.get() < 100) Thread.sleep(1);
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            in.nextLine();
            System.out.println(made);
        }
    }
}
