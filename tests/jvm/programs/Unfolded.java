import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** For each line it calls show() once with every kind of value, in this order, and answers "shown". */
public class Unfolded {
    enum Colour { RED, GREEN }

    static class Thing {
        static long things = 7;
        long number = 5_000_000_000L;
        final String owner = "me";
    }

    static class Cart extends Thing {
        static Cart first;
        String name;
        int sum = 12;
        boolean gift = true;
        char letter = 'z';
        double rate = 2.5;
        float part = 0.5f;
        short few = -3;
        byte bits = 1;
        Integer box = 42;
        Colour colour = Colour.GREEN;
        Cart next;

        Cart(String name) { this.name = name; }
        @Override public String toString() { throw new IllegalStateException("must not be called"); }
        @Override public int hashCode() { throw new IllegalStateException("must not be called"); }
        @Override public boolean equals(Object other) { throw new IllegalStateException("must not be called"); }
    }

    static class Node {
        Object up, down;
    }

    static class Wide {
        int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s;
    }

    static class Wider extends Wide {
        int x, y;
    }

    static Object show(Object value) { return value; }

    static List<Object> values() {
        Cart cart = new Cart("a \"cup\""), other = new Cart(null);
        cart.next = other;
        other.next = cart;
        Cart.first = cart;
        Node self = new Node();
        self.up = self;
        Object[] within = {null};
        within[0] = within;
        int[] many = new int[25];
        for (int i = 0; i < many.length; i++) many[i] = i;
        Object[] texts = new Object[20];
        Arrays.fill(texts, "\u00e4".repeat(300));
        Node chain = null;
        for (int i = 0; i < 8; i++) {
            Node node = new Node();
            node.down = chain;
            chain = node;
        }
        return new ArrayList<>(Arrays.asList(
            cart, self, within, new int[] {1, 2, 3}, many, new Object[] {"x", null, 'c', 2.0f, Colour.RED},
            new int[][] {{1}, null}, new Wider(), texts, "y".repeat(5000), chain,
            new IllegalStateException("known"), new ArrayList<>(List.of("one")), new boolean[] {true, false},
            new char[] {'o', 'k'}, new double[] {0.5}, null));
    }

    public static void main(String[] args) throws Exception {
        List<Object> values = values();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            for (Object value : values) show(value);
            System.out.println("shown");
        }
    }
}
