package java.lang;

/** What the sinks are compiled against: JDK 17 does not have the second method yet. */
public class Thread implements Runnable {
    public static native Thread currentThread();

    static native Thread currentCarrierThread();

    public void run() { }
}
