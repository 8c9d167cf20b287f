package shop;

import java.util.List;

/** Receipts of a shop, a line an item. */
public final class Receipts {
    private final StringBuilder line = new StringBuilder(80);

    /** The characters of all lines. */
    public int write(List<String> items) {
        int characters = 0;
        for (int i = 0; i < items.size(); ++i) {
            characters += write(items.get(i));
        }
        return characters;
    }

    private int write(String item) {
        line.setLength(0);
        pad(item);
        line.append(item);
        return line.length();
    }

    private void pad(String item) {
        for (int i = item.length(); i < 20; ++i) {
            line.append(' ');
        }
    }
}
