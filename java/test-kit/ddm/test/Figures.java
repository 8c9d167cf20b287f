package ddm.test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The allocations of a scope, as the agent writes them (agent/adapters/test_kit/test_kit.cpp). */
final class Figures {
    /** All that a stack has: a limit may be for what any of its frames calls. */
    static final int MOST_FRAMES = 1024;

    /** Why a scope has no figures. */
    static final String NONE = "tracking was switched off meanwhile";

    final long objects;
    final long bytes;
    final long firstUseObjects;
    final long firstUseBytes;
    /**
     * Allocations whose stacks the agent had no room for, or cut: the other figures may lack them,
     * or have those of others in their place.
     */
    final long lost;
    /** The objects that are alive after a collection; -1: unknown. */
    final long liveObjects;
    final long liveBytes;
    final List<AllocationSite> sites;
    /** The sites with the objects of each that are alive, most bytes first. */
    final List<AllocationSite> aliveSites;

    private Figures(long[] sums, List<AllocationSite> sites, List<AllocationSite> aliveSites) {
        objects = sums[0];
        bytes = sums[1];
        firstUseObjects = sums[2];
        firstUseBytes = sums[3];
        lost = sums[4];
        liveObjects = sums[5];
        liveBytes = sums[6];
        this.sites = Collections.unmodifiableList(sites);
        this.aliveSites = aliveSites;
    }

    /** Null: the scope has ended, because tracking was switched meanwhile. */
    static Figures of(long scope) {
        byte[] written = AgentLink.take(scope, Integer.MAX_VALUE, MOST_FRAMES);
        if (written == null) {
            return null;
        }
        String[] lines = new String(written, StandardCharsets.UTF_8).split("\n");
        List<AllocationSite> sites = new ArrayList<>(lines.length);
        List<AllocationSite> aliveSites = new ArrayList<>();
        Map<String, StackTraceElement> frames = new HashMap<>();
        for (int i = 1; i < lines.length; ++i) {
            String[] fields = lines[i].split("\t");
            AllocationSite site = site(fields, frames);
            sites.add(site);
            if (fields[2].length() > 2) {
                aliveSites.add(alive(site, fields[2].substring(2).split(":")));
            }
        }
        aliveSites.sort(Comparator.comparingLong(AllocationSite::bytes).reversed());
        return new Figures(numbers(lines[0]), sites, aliveSites);
    }

    /** The figures of a scope without its sites. */
    static Figures sums(byte[] written) {
        String line = new String(written, 0, endOfSums(written), StandardCharsets.US_ASCII);
        return new Figures(numbers(line.trim()), Collections.emptyList(), Collections.emptyList());
    }

    /** The end of the first line, which has the sums. */
    static int endOfSums(byte[] written) {
        int end = 0;
        while (written[end] != '\n') {
            ++end;
        }
        return end + 1;
    }

    private static long[] numbers(String line) {
        String[] words = line.split("\t");
        long[] sums = new long[words.length];
        for (int i = 0; i < sums.length; ++i) {
            sums[i] = Long.parseLong(words[i]);
        }
        return sums;
    }

    /** `frames`: those so far; the stacks of a test have nearly all of theirs in common. */
    private static AllocationSite site(String[] fields, Map<String, StackTraceElement> frames) {
        List<StackTraceElement> stack = new ArrayList<>(fields.length);
        for (int i = 4; i < fields.length; ++i) {
            stack.add(frames.computeIfAbsent(fields[i], Figures::frame));
        }
        return new AllocationSite(fields[3], Long.parseLong(fields[0]), Long.parseLong(fields[1]),
                fields[2].charAt(0) == 'f', fields[2].charAt(1) == 'o',
                Collections.unmodifiableList(stack));
    }

    private static AllocationSite alive(AllocationSite site, String[] amount) {
        return new AllocationSite(site.className(), Long.parseLong(amount[0]),
                Long.parseLong(amount[1]), site.firstUse(), site.ownThread(), site.stack());
    }

    private static StackTraceElement frame(String field) {
        String[] parts = field.split("\1", -1);
        return new StackTraceElement(parts[0], parts[1], parts[2].isEmpty() ? null : parts[2],
                Integer.parseInt(parts[3]));
    }

    /** Why figures that lack allocations are none to compare, and what gives more room. */
    static String noRoom(long lost) {
        return count(lost, "allocation") + " found no room in the agent's tree of stacks;"
                + " sites=512k without sites_depth= gives most, and fewer tests at a time need less";
    }

    /** {@code 5,441 objects, 364,544 bytes}. */
    static String amount(long objects, long bytes) {
        return count(objects, "object") + ", " + count(bytes, "byte");
    }

    /** {@code 5,441 objects}, {@code 1 object}. */
    static String count(long number, String what) {
        return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? what : what + "s");
    }

    /** {@code 1.2 MiB}. */
    static String size(long bytes) {
        String[] units = {"KiB", "MiB", "GiB", "TiB"};
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        do {
            value /= 1024;
            ++unit;
        } while (value >= 1024 && unit < units.length - 1);
        return String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
    }
}
