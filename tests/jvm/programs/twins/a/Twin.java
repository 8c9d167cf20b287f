/** One of two classes of this name: the code of both is as long, but not in the same order. */
public class Twin {
    public static Object sink;

    static void use() { sink = new Object(); }

    public static void run() {
        sink = new int[1];
        use();
        use();
        use();
    }
}
