/** What BreakingAgent breaks whenever it is retransformed. */
public class Brittle {
    static int number() {
        return 77;
    }

    public static String name() {
        return Integer.toString(number());
    }
}
