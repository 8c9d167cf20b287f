package client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.harmony.dalvik.ddmc.DdmVmInternal;
import org.apache.harmony.dalvik.ddmc.RecentAllocation;

/**
 * A program that looks at its own recent allocations now and then, without stopping: recording is on
 * for a moment only, and costs nothing in between. Arguments: seconds between two looks, looks.
 */
public final class RecentAllocations {
    public static void main(String[] args) throws InterruptedException {
        int seconds = Integer.parseInt(args[0]);
        int looks = Integer.parseInt(args[1]);
        Thread worker = new Thread(RecentAllocations::work, "worker");
        worker.setDaemon(true);
        worker.start();
        for (int i = 1; i <= looks; i++) {
            Thread.sleep(seconds * 1000L);
            look(i);
        }
    }

    private static void look(int number) throws InterruptedException {
        DdmVmInternal.enableRecentAllocations(true);
        Thread.sleep(100);
        DdmVmInternal.enableRecentAllocations(false);
        List<RecentAllocation> recent = RecentAllocation.parse(DdmVmInternal.getRecentAllocations());

        Map<String, int[]> bySite = new TreeMap<>();
        for (RecentAllocation one : recent) {
            String site = one.className() + " at "
                    + (one.stack().isEmpty() ? "no Java frame" : one.stack().get(0));
            int[] sum = bySite.computeIfAbsent(site, unused -> new int[2]);
            sum[0]++;
            sum[1] += one.size();
        }
        List<Map.Entry<String, int[]>> sites = new ArrayList<>(bySite.entrySet());
        sites.sort((a, b) -> Integer.compare(b.getValue()[1], a.getValue()[1]));
        System.out.println("look " + number + ": " + recent.size() + " allocations");
        for (Map.Entry<String, int[]> site : sites.subList(0, Math.min(3, sites.size()))) {
            System.out.printf("%10d bytes %6d times  %s%n", site.getValue()[1],
                    site.getValue()[0], site.getKey());
        }
    }

    /** Something that allocates. */
    private static void work() {
        List<int[]> kept = new ArrayList<>();
        for (int i = 0; ; i++) {
            kept.add(new int[100]);
            if (kept.size() == 1000) {
                kept = new ArrayList<>();
            }
            if (i % 10 == 0) {
                Thread.yield();
            }
        }
    }
}
