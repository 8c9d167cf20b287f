// Allocates objects of one class for so many milliseconds, then of another one, and says how many, and
// when, by the clock, it went from one to the other.
public class Phases {
    static class First { long a; }
    static class Second { long a, b; }

    static Object kept;

    static int first(long until) throws InterruptedException {
        int made = 0;
        for (; System.nanoTime() < until; Thread.sleep(1)) {
            for (int i = 0; i < 100; ++i, ++made) kept = new First();
        }
        return made;
    }

    static int second(long until) throws InterruptedException {
        int made = 0;
        for (; System.nanoTime() < until; Thread.sleep(1)) {
            for (int i = 0; i < 100; ++i, ++made) kept = new Second();
        }
        return made;
    }

    public static void main(String[] args) throws Exception {
        long each = Long.parseLong(args[0]) * 1_000_000, begin = System.nanoTime();
        int one = first(begin + each);
        long between = System.currentTimeMillis();
        System.out.println(one + " " + second(begin + 2 * each) + " " + between);
    }
}
