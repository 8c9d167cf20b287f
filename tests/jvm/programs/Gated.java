/** Counts that are known: what a gate compares. With an argument one more `new` in a helper. */
final class Gated {
    static Object keep;
    static boolean more;

    static String pad(int number) {
        if (more) keep = new int[3];
        return "x" + number;
    }

    static void work() {
        for (int i = 0; i < 1000; i++) keep = pad(i);
    }

    public static void main(String[] arguments) {
        more = arguments.length > 0;
        work();
    }
}
