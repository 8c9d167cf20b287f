import java.util.List;
import java.util.ListIterator;
import java.util.Optional;

/**
 * Makes objects of classes that nobody has loaded before and that hold no array and call nothing that
 * is hooked, so that hooks elsewhere must see them. Argument: how many.
 */
public class LateClasses {
    static int sum;

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        List<String> list = List.of("a", "b");
        for (int i = 0; i < count; i++) {
            sum += Optional.of("c").get().length();
            for (ListIterator<String> it = list.listIterator(); it.hasNext(); ) sum += it.next().length();
        }
        System.out.println("TRUTH java.util.Optional " + count);
        System.out.println("TRUTH java.util.ImmutableCollections$ListItr " + count);
    }
}
