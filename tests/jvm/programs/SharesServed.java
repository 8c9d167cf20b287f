/** CpuShares on a thread "shares", until the end of input. */
public class SharesServed {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                CpuShares.main(new String[] {"1000000"});
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "shares");
        thread.setDaemon(true);
        thread.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
