import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The kinds of objects that programs make most of, in one loop: boxes of every type, on the edges of
 * their caches too, iterators, Optional, records, lambdas, strings, arrays. Prints how many of some
 * classes round() makes with all it calls: "TRUTH CLASS COUNT". Argument: rounds.
 *
 * Most of these objects live for a moment only; a compiler would rather not make them.
 */
public class ManyKinds {
    record Point(int x, int y) {
        Point moved() { return new Point(x + 1, y); }
    }

    static class Node {
        final Node next;
        Node(Node next) { this.next = next; }
    }

    static int sum;

    static int cached(int i) {
        Integer small = i & 127;
        Long least = -128L;
        Short most = 127;
        Character ascii = (char) (i & 127);
        Byte any = (byte) i;
        Boolean odd = (i & 1) == 1;
        return small + least.intValue() + most + ascii + any + (odd ? 1 : 0);
    }

    static int boxed(int i) {
        Integer anInt = -129 - i;
        Long aLong = 128L + i;
        Short aShort = (short) (128 + (i & 1023));
        Character aChar = (char) (128 + (i & 1023));
        Float aFloat = (float) i;
        Double aDouble = 0.0;
        return anInt + aLong.intValue() + aShort + aChar + aFloat.intValue() + aDouble.intValue();
    }

    /** A box that nobody looks at. */
    static void unused(int i) { Integer.valueOf(10_000 + i); }

    /** A second box every other time. */
    static int joined(int i) {
        Integer box = 5000 + i;
        Integer other = (i & 1) == 0 ? box : Integer.valueOf(i | 4096);
        return other;
    }

    static <T> Optional<T> first(List<T> list) { return Optional.of(list.get(0)); }

    static int objects(int i, List<String> list, List<String> fixed) {
        int n = 0;
        for (String s : list) n += s.length();
        for (ListIterator<String> it = fixed.listIterator(); it.hasNext(); ) n += it.next().length();
        n += first(list).map(String::trim).get().length();
        Point moved = new Point(i, n).moved();
        Supplier<Point> later = () -> moved;
        n += later.get().x();
        n += new Node(new Node(null)).next.next == null ? 1 : 0;
        int[] few = {i, n};
        return n + few.clone().length;
    }

    static int strings(int i) {
        String joined = "round " + i;
        return joined.length() + new StringBuilder().append(i).append(':').append(i & 7).toString().length();
    }

    static void round(int i, List<String> list, List<String> fixed) {
        sum += cached(i) + boxed(i) + joined(i) + objects(i, list, fixed) + strings(i);
        unused(i);
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        List<String> list = new ArrayList<>(List.of("a", "b", "c"));
        List<String> fixed = List.of("d", "e", "f");
        for (int i = 0; i < rounds; i++) round(i, list, fixed);
        Map<String, Integer> truth = new LinkedHashMap<>();
        truth.put("java.lang.Integer", 3 * rounds + rounds / 2);
        for (String type : new String[] {"Long", "Short", "Character", "Float", "Double"}) {
            truth.put("java.lang." + type, rounds);
        }
        truth.put("ManyKinds$Point", 2 * rounds);
        truth.put("ManyKinds$Node", 2 * rounds);
        truth.put("java.util.ArrayList$Itr", rounds);
        truth.put("java.util.ImmutableCollections$ListItr", rounds);
        truth.put("java.util.Optional", 2 * rounds);
        truth.forEach((name, count) -> System.out.println("TRUTH " + name + " " + count));
    }
}
