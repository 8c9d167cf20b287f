/**
 * Two threads call caller() again and again, which calls a method once that nobody else calls, of one of
 * the classes that are loaded first of all. Says "ready", and ends when its input does.
 */
public class Paired {
    static volatile boolean ended;
    static volatile String sink;

    static void caller(Throwable problem) {
        sink = problem.getLocalizedMessage();
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (Throwable problem = new Throwable("none"); !ended; ) caller(problem);
            });
            threads[i].start();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) { }
        ended = true;
        for (Thread thread : threads) thread.join();
        System.out.println("ends");
    }
}
