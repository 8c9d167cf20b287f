/** Holds arrays that take three regions of 1 MiB each, with holes of two of them between. */
public class Humongous {
    static final byte[][] kept = new byte[5][];

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[2_500_000 + 16 * i];
        System.gc();
        kept[1] = kept[3] = null;
        System.gc();
        System.out.println("ready");
        for (int line; (line = System.in.read()) != -1; ) {
            if (line != 'c') continue;
            System.gc();
            System.out.println("collected");
        }
    }
}
