// A fixed amount of seeded work that is nearly all String.hashCode and HashMap.get: prints the CPU
// nanoseconds that the process has used for it, all threads and compilers together.
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Random;
import java.util.Scanner;

public class ProbeLoad {
    static final HashMap<String, Integer> MAP = new HashMap<>();
    static volatile long sink;

    static long part(String[] keys, int rounds) {
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (String key : keys) sum += MAP.get(key) + key.hashCode();
        }
        return sum;
    }

    public static void main(String[] args) {
        Random random = new Random(42);
        String[] keys = new String[1000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = "key " + random.nextInt();
            MAP.put(keys[i], i);
        }
        com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < 20; i++) sink += part(keys, 1000);
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            int rounds = Integer.parseInt(in.nextLine());
            long begin = system.getProcessCpuTime();
            for (int i = 0; i < 100; i++) sink += part(keys, rounds / 100);
            System.out.println(system.getProcessCpuTime() - begin);
        }
    }
}
