/**
 * A virtual thread holds a lock that the thread "wants", virtual with any argument, waits to enter;
 * until the end of stdin.
 */
public class VirtualHolder {
    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().name("holds").start(Held::hold);
        while (!Held.held) Thread.sleep(1);
        Thread wants = new Thread(Held::enter, "wants");
        if (args.length > 0) wants = Thread.ofVirtual().unstarted(Held::enter);
        else wants.setDaemon(true);
        wants.start();
        while (wants.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        System.out.println("ready");
        System.in.read();
    }
}
