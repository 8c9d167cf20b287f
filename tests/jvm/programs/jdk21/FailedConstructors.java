// Constructors whose super() throws, each as the outermost timed call of a thread of its own, virtual or
// not; prints "Class.method calls exceptions", and the nanoseconds of all.
public class FailedConstructors {
    static class Base {
        Base(int n) { if (n >= 0) throw new IllegalStateException("known"); }
    }

    static class Failed extends Base {
        Failed(int n) { super(n); }
    }

    static void work(int n) {
        try {
            new Failed(n);
        } catch (IllegalStateException expected) {
            return;
        }
        throw new AssertionError();
    }

    public static void main(String[] args) throws Exception {
        long begin = System.nanoTime();
        int threads = Integer.parseInt(args[1]);
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int n = i;
            Runnable job = () -> work(n);
            all[i] = args[0].equals("virtual") ? Thread.ofVirtual().start(job) : Thread.ofPlatform().start(job);
        }
        for (Thread one : all) one.join();
        Thread.sleep(500);  // in which a call that is still open would grow
        System.out.println("FailedConstructors$Failed.<init> " + threads + " " + threads);
        System.out.println("FailedConstructors$Base.<init> " + threads + " " + threads);
        System.out.println("elapsed " + (System.nanoTime() - begin));
    }
}
