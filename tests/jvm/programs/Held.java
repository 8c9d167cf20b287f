import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/**
 * Held [spin] wait: one thread holds a lock twice over, one waits to enter it, one waits on a monitor.
 * That thread holds another monitor as well, on which one waits and that one waits to enter. With
 * "spin" one computes. Prints "made" when they do, and ends with its input.
 */
public class Held {
    static final class Gate { }

    static final class Bell { }

    static final class Gong { }

    static final Gate GATE = new Gate();
    static final Bell BELL = new Bell();
    static final Gong GONG = new Gong();
    static volatile boolean held;
    static volatile long sink;

    static void hold() {
        synchronized (GONG) {
            synchronized (GATE) {
                synchronized (GATE) {
                    held = true;
                    try {
                        Thread.sleep(Long.MAX_VALUE);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
    }

    static void listen() {
        synchronized (GONG) {
            try {
                GONG.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void hear() {
        synchronized (GONG) {
            sink++;
        }
    }

    static void enter() {
        synchronized (GATE) {
            sink++;
        }
    }

    static void await() {
        synchronized (BELL) {
            try {
                BELL.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void spin() {
        for (;;) {
            sink++;
        }
    }

    // In the method itself, not in what the VM loads on the way to it.
    static boolean stands(Thread thread, Thread.State state, String method) {
        if (thread.getState() != state) {
            return false;
        }
        // A thread is blocked before the agent is told of it, and known to the monitor only afterwards.
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        if (info == null || info.getLockInfo() == null) {
            return false;
        }
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (!frame.getClassName().startsWith("java.")) {
                return frame.getMethodName().equals(method);
            }
        }
        return false;
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Thread listens = start("listens", Held::listen);
        while (!stands(listens, Thread.State.WAITING, "listen")) {
            Thread.sleep(1);
        }
        start("holder", Held::hold);
        while (!held) {
            Thread.sleep(1);
        }
        Thread enters = start("enters", Held::enter);
        Thread hears = start("hears", Held::hear);
        Thread waits = start("waits", Held::await);
        while (!stands(enters, Thread.State.BLOCKED, "enter")
               || !stands(hears, Thread.State.BLOCKED, "hear")
               || !stands(waits, Thread.State.WAITING, "await")) {
            Thread.sleep(1);
        }
        if (args[0].equals("spin")) {
            start("spins", Held::spin);
        }
        System.out.println("made");
        while (System.in.read() >= 0) {
            sink++;
        }
    }
}
