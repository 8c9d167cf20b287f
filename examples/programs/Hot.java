package shop;

/** Adds numbers for ARG seconds. */
public final class Hot {
    private Hot() {}

    private static long work(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += i * 31L;
        return sum;
    }

    public static void main(String[] args) {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        long sum = 0;
        while (System.nanoTime() < end) sum += work(100_000);
        System.out.println(sum);
    }
}
