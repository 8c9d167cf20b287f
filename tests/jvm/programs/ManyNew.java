/** Four threads that do nothing but `new T()`. Arguments: milliseconds; without them until stdin ends. */
public final class ManyNew {
    static final class T {
        int a, b;
    }

    private static void work() {
        T[] kept = new T[64];
        for (int i = 0; ; i++) kept[i & 63] = new T();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(ManyNew::work, "new-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        if (args.length > 0) {
            Thread.sleep(Long.parseLong(args[0]));
            System.exit(0);  // when main returns, 26 may wait a minute for callbacks (JDK-8387045)
        }
        while (System.in.read() >= 0) {
        }
    }
}
