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
        lambda(1);
    }

    /** A class of its own name in each run. */
    static void lambda(int number) {
        Runnable made = () -> keep = number;
        keep = made;
    }

    public static void main(String[] arguments) {
        more = arguments.length > 0;
        work();
    }
}
