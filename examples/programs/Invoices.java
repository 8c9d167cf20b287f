package shop;

/** Writes 1,000 invoices, the same ones each time; with an argument through one helper array more each. */
public final class Invoices {
    static Object last;

    static String line(int number, boolean padded) {
        if (padded) last = new int[8];
        return "invoice " + number;
    }

    static void write(boolean padded) {
        for (int i = 0; i < 1000; i++) last = line(i, padded);
    }

    public static void main(String[] arguments) {
        write(arguments.length > 0);
    }
}
