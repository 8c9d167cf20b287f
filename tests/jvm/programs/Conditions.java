// Calls of methods whose arguments lead to known values, for the conditions of probes: "run" makes them,
// each set once, and "slow N" calls nap() N times, of which every second one takes 150 ms.
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Conditions {
    enum Colour { RED, GREEN { @Override String more() { return "leaf"; } };
        final int length = 3;
        String more() { return ""; }
    }

    static class Base {
        int price = 1;
        private int hidden = 10;
    }

    static class Item extends Base {
        boolean gift = true;
        byte few = -3;
        short some = 300;
        char letter = 'z';
        long many = 5_000_000_000L;
        float part = 0.5f;
        double rate = 2.5;
        Integer box = 42;
        Double real = 0.25;
        Object thing = "text";
        Colour colour = Colour.GREEN;
        String owner;
        Item next;
        int[] numbers = {7, 8};
        Item[] items;
        static int shared = 5;

        Item(String owner, Item next) {
            this.owner = owner;
            this.next = next;
        }

        // Sees itself, and its own class's fields by name.
        int self(int i) { return i; }

        @Override public String toString() { throw new IllegalStateException("must not be called"); }
        @Override public boolean equals(Object other) { throw new IllegalStateException("must not be called"); }
        @Override public int hashCode() { throw new IllegalStateException("must not be called"); }
    }

    static class Hiding extends Item {
        private int hidden = 20;
        Hiding() { super("hiding", null); }
    }

    // Twelve classes, so that a step meets several.
    static final Object[] KINDS = new Object[12];
    static {
        KINDS[0] = new Object() { int sum = 0; };
        KINDS[1] = new Object() { int sum = 1; };
        KINDS[2] = new Object() { int sum = 2; };
        KINDS[3] = new Object() { long sum = 3; };
        KINDS[4] = new Object() { long sum = 4; };
        KINDS[5] = new Object() { double sum = 5; };
        KINDS[6] = new Object() { Integer sum = 6; };
        KINDS[7] = new Object() { Object sum = 7L; };
        KINDS[8] = new Object() { Object sum = 'a'; };
        KINDS[9] = new Object() { Object sum = "9"; };
        KINDS[10] = new Object() { Object sum; };
        KINDS[11] = new Object() { int other = 11; };
    }

    static int take(Object thing, int number) { return number; }
    static List<Object> list(int size) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < size; i++) list.add("one");
        return list;
    }
    static void array(int[] numbers) { }
    static void items(Item[] items, String name) { }
    static void nothing(Item item) { }

    static long nap(int number, String name) throws InterruptedException {
        if (number % 2 == 1) Thread.sleep(150);
        if (number % 4 >= 2) throw new IllegalStateException(name);
        return number;
    }

    static void run() {
        Item leaf = new Item("Ann", null), item = new Item("Bob", leaf), last = new Item(null, item);
        last.price = 6;
        last.items = new Item[] {null, leaf, item};
        for (Item one : new Item[] {leaf, item, last, new Hiding()}) {
            nothing(one);
            one.self(one.price);
        }
        nothing(null);
        for (int i = 0; i < 120; i++) take(KINDS[i % 12], i);
        for (int i = 0; i < 20; i++) list(i);
        for (int i = 0; i < 10; i++) array(i == 9 ? null : new int[i]);
        for (int i = 0; i < 4; i++) {
            Item[] items = new Item[i];
            if (i > 0) items[i - 1] = new Item("n" + i, i == 3 ? leaf : null);
            items(items, "name " + i);
        }
    }

    static void slow(int count) {
        for (int i = 0; i < count; i++) {
            try {
                nap(i, "nap " + i);
            } catch (IllegalStateException expected) {
                // half of them
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void on(String thread, Runnable work) throws Exception {
        Thread started;
        if (thread.equals("virtual")) {
            started = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } else {
            started = new Thread(work);
            started.start();
        }
        started.join();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            Runnable work = words[0].equals("slow") ? () -> slow(Integer.parseInt(words[1])) : Conditions::run;
            on(words[words.length - 1], work);
            if (words.length > 1 && words[1].equals("collected")) System.gc();
            System.out.println("counted");
        }
    }
}
