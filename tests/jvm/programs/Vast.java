/** Makes an array of 2.2 GB, and some objects of ordinary size. */
public class Vast {
    static final int LENGTH = 270_000_000;
    static volatile Object sink;

    public static void main(String[] args) {
        for (int i = 0; i < 100; i++) sink = new short[100];
        sink = new long[LENGTH];
        System.out.println(((long[]) sink).length);
    }
}
