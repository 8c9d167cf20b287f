/** Arguments: number of threads, which allocate arrays of 200 bytes without a pause until a line comes. */
public class Allocating {
    static volatile boolean stop;
    static volatile Object sink;

    static void some() {
        for (int i = 0; i < 100; i++) sink = new byte[200];
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            new Thread(() -> { while (!stop) some(); }, "allocating-" + i).start();
        }
        System.out.println("ready");
        System.in.read();
        stop = true;
    }
}
