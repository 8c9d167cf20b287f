package ddm.test;

import java.util.ArrayList;
import java.util.List;

/**
 * The exact allocations of a piece of the program: on the calling thread and on all threads that it
 * started meanwhile.
 *
 * <p>Without the agent, or with {@code engine=vm}, everything runs as it is and nothing is measured:
 * {@link #measured()} is false, all figures are 0, and one line on stderr says why. With the system
 * property {@code ddm.required=true} an IllegalStateException is thrown.
 */
public final class Allocations {
    private final Figures figures;

    Allocations(Figures figures) {
        this.figures = figures;
    }

    /** Runs {@code work} once. Its exceptions pass through. */
    public static Allocations during(Runnable work) {
        if (!AgentLink.counts()) {
            AgentLink.require();
            AgentLink.tell(AgentLink.problem());
            work.run();
            return new Allocations(null);
        }
        long scope = AgentLink.begin(AgentLink.EVERYTHING, "", "", false);
        try {
            work.run();
        } catch (Throwable thrown) {
            AgentLink.drop(scope);
            throw thrown;
        }
        AgentLink.end(scope);
        // To read the figures counts in no scope that encloses this one.
        long uncounted = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        try {
            Figures figures = Figures.of(scope);
            if (figures == null) {
                AgentLink.tell("allocations are not counted: " + Figures.NONE);
            }
            return new Allocations(figures);
        } finally {
            AgentLink.drop(uncounted);
        }
    }

    /**
     * Runs {@code work} until two consecutive runs allocate the same, {@code most} times at most:
     * first uses are over then, and caches filled. The figures are those of the last run.
     */
    public static Allocations settled(int most, Runnable work) {
        Allocations before = during(work);
        for (int i = 1; i < most; ++i) {
            Allocations now = during(work);
            if (now.agreesWith(before)) {
                return now;
            }
            before = now;
        }
        return before;
    }

    boolean agreesWith(Allocations other) {
        return objects() == other.objects() && bytes() == other.bytes();
    }

    /** False: nothing was counted, and all figures are 0. */
    public boolean measured() {
        return figures != null;
    }

    /** Without first uses, which depend on what ran before. */
    public long objects() {
        return figures == null ? 0 : figures.objects;
    }

    public long bytes() {
        return figures == null ? 0 : figures.bytes;
    }

    /**
     * First uses: by class initialisers, class loading, linkage of call sites and objects that are
     * cached.
     */
    public long firstUseObjects() {
        return figures == null ? 0 : figures.firstUseObjects;
    }

    public long firstUseBytes() {
        return figures == null ? 0 : figures.firstUseBytes;
    }

    /** Most bytes first; with first uses. */
    public List<AllocationSite> sites() {
        return figures == null ? new ArrayList<>() : figures.sites;
    }

    @Override
    public String toString() {
        return measured() ? Figures.amount(objects(), bytes()) : "not measured";
    }
}
