/**
 * The other one.
 *
 *
 *
 *
 *
 *
 *
 *
 *
 */
public class Twin {
    public static Object sink;

    static void use() { sink = new Object(); }

    public static void run() {
        use();
        use();
        use();
        sink = new int[1];
    }
}
