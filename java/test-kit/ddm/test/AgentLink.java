package ddm.test;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The connection to the agent. The natives are found in the agent's library by name; they are in
 * agent/adapters/test_kit.
 */
final class AgentLink {
    /** Which allocations of a scope are measured: the numbers of ddm::ScopeRoot::Rule. */
    static final int EVERYTHING = 0;
    static final int BELOW_METHOD = 1;
    static final int PROGRAM = 2;
    static final int NOTHING = 3;

    private static final AtomicBoolean TOLD = new AtomicBoolean();
    private static final String OPTIONS = "address=none,dump=none,engine=bci,sites=512k,track=y";

    /** A class of its own: where nobody asks whether allocations are counted, none are. */
    private static final class Connection {
        /** Null: allocations are counted; else one line that says why not. Determined once. */
        static final String PROBLEM = connect();
    }

    private AgentLink() {
    }

    /** The first call switches counting on. */
    static boolean counts() {
        return Connection.PROBLEM == null;
    }

    static String problem() {
        return Connection.PROBLEM;
    }

    /** Says on stderr why allocations are not counted, once for this JVM. */
    static void tell(String why) {
        if (TOLD.compareAndSet(false, true)) {
            System.err.println(why);
        }
    }

    /** Throws if allocations cannot be counted, but are required to be. */
    static void require() {
        if (Boolean.getBoolean("ddm.required") && !counts()) {
            throw new IllegalStateException(problem());
        }
    }

    private static String connect() {
        try {
            return tryPrepare();
        } catch (UnsatisfiedLinkError absent) {
            String attached = attach();
            if (attached != null) {
                return attached;
            }
        }
        try {
            return tryPrepare();
        } catch (UnsatisfiedLinkError absent) {
            return missingAgent();
        }
    }

    private static String tryPrepare() {
        byte[] problem = prepare();
        if (problem != null) {
            return "allocations are not counted: " + new String(problem, StandardCharsets.UTF_8);
        }
        // The VM links the natives now, so that no scope measures what linking allocates.
        drop(begin(NOTHING, "", "", false));
        return null;
    }

    private static String missingAgent() {
        return "allocations are not counted; add -agentpath:" + AgentPath.find() + "=" + OPTIONS
                + " to the arguments of the JVM that runs the tests";
    }

    /**
     * Null: the agent was loaded, which requires that the JVM may attach to itself; else why not.
     */
    private static String attach() {
        String allowed = System.getProperty("jdk.attach.allowAttachSelf");
        File library = new File(AgentPath.find());
        if (allowed == null || allowed.equals("false") || !library.isFile()) {
            return missingAgent();
        }
        try {
            SelfAttach.load(library.getAbsolutePath(), OPTIONS);
            return null;
        } catch (Exception | LinkageError failure) {
            return missingAgent() + " (attaching: " + failure.getMessage() + ")";
        }
    }

    /** Ends a scope whose figures nobody wants: the agent keeps them until they are taken. */
    static void drop(long scope) {
        end(scope);
        take(scope, 0, 0);
    }

    /** Switches counting on. Null: it is on; else why not, in UTF-8. */
    private static native byte[] prepare();

    /** Begins a scope. `live`: with the objects that stay alive. 0: counting is off. */
    static native long begin(int rule, String className, String method, boolean live);

    static native void end(long scope);

    /**
     * The allocations of a scope that has ended, see {@link Figures}; null: there is no such scope.
     */
    static native byte[] take(long scope, int mostSites, int mostFrames);

    /** Begins a file of the sites of tests; returns its number, for {@link #takeLines}. */
    static native long beginLines();

    /** Like take(), for a file: the sums, then the lines of JSON to append to the file. */
    static native byte[] takeLines(long scope, long file, String test);
}
