/** A virtual thread holds a monitor that the thread "wants" waits for; until the end of stdin. */
public class VirtualHolder {
    static final Object monitor = new Object();
    static volatile boolean held;

    static void hold() {
        synchronized (monitor) {
            held = true;
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void enter() {
        synchronized (monitor) {
            throw new IllegalStateException("nobody holds it");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().name("holds").start(VirtualHolder::hold);
        while (!held) Thread.sleep(1);
        Thread wants = new Thread(VirtualHolder::enter, "wants");
        wants.setDaemon(true);
        wants.start();
        while (wants.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        System.out.println("ready");
        System.in.read();
    }
}
