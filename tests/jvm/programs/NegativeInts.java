import java.io.InputStream;

/**
 * C2 keeps ints of -1 in every register that it has, the frame pointer's too, and is then thrown
 * out of its code by a value that was never seen before: `NegativeInts ROUNDS`, each with a class
 * that is compiled anew.
 */
public class NegativeInts {
  public static int sum;

  public static class Work implements Runnable {
    public void run() {
      int[] values = new int[1000];
      for (int i = 99; i < values.length; i += 100) {
        values[i] = 4;
      }
      for (int i = 0; i < 12000; i++) {
        NegativeInts.sum += search(values, i & 7);
      }
      values = new int[1000];
      values[700] = 5;
      NegativeInts.sum += search(values, 7);
    }

    static int search(int[] values, int wanted) {
      int a = -1, b = -1, c = -1, d = -1, e = -1, f = -1, g = -1, h = -1, k = -1, l = -1;
      for (int i = 0; i < values.length; i++) {
        int v = values[i];
        if (v == 5) { // never, until this is compiled
          NegativeInts.sum +=
              a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19 + k * 23 + l * 29;
        }
        if (v > wanted) {
          a = i;
          b = a ^ c;
          c = i + d;
          d = e * i;
          e = f - i;
          f = g + 1;
          g = h ^ i;
          h = k + b;
          k = l - i;
          l = a + i;
        }
      }
      return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + k * 9 + l * 10;
    }
  }

  public static void main(String[] args) throws Exception {
    byte[] code;
    try (InputStream in = NegativeInts.class.getResourceAsStream("/NegativeInts$Work.class")) {
      code = in.readAllBytes();
    }
    for (int round = 0; round < Integer.parseInt(args[0]); round++) {
      Class<?> work = new ClassLoader(NegativeInts.class.getClassLoader()) {
        Class<?> define() {
          return defineClass("NegativeInts$Work", code, 0, code.length);
        }
      }.define();
      ((Runnable) work.getDeclaredConstructor().newInstance()).run();
    }
    System.out.println("done");
  }
}
