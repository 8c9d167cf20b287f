/** What patches of Guest call, where a loader has it. */
public class Sink {
    static int hits;

    public static void hit() {
        hits++;
    }

    public static String hits() {
        return Integer.toString(hits);
    }
}
