import java.util.Scanner;

/** Reattached LIBRARY: for each line "N", a system thread is the Java threads job-0 to job-(N-1) in turn. */
public class Reattached {
    static int sum;

    static native void attachInTurn(int times);

    /** As the thread job-I: calls once() I times. */
    static void job(int i) {
        for (int n = 0; n < i; n++) once();
    }

    static void once() {
        sum++;
    }

    public static void main(String[] args) {
        System.load(args[0]);
        System.out.println("ready");
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            attachInTurn(Integer.parseInt(lines.nextLine()));
            System.out.println("counted");
        }
    }
}
