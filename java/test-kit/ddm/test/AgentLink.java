package ddm.test;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;

/**
 * The way to the agent. Its natives are found in the agent's library by name, and are known to
 * agent/adapters/test_kit.
 */
final class AgentLink {
    /** Which allocations of a scope are measured: the numbers of ddm::ScopeRoot::Rule. */
    static final int EVERYTHING = 0;
    static final int BELOW_METHOD = 1;
    static final int PROGRAM = 2;
    static final int NOTHING = 3;

    private static final String OPTIONS = "address=none,dump=none,engine=bci,sites=512k,track=y";

    /** Null: allocations are counted; else why not, in one line. Looked for once. */
    private static final String WHY_NOT = look();

    private AgentLink() {
    }

    static boolean counts() {
        return WHY_NOT == null;
    }

    static String whyNot() {
        return WHY_NOT;
    }

    /** Whether a test that cannot be measured is to fail. */
    static boolean required() {
        return Boolean.getBoolean("ddm.required");
    }

    /** Throws if there is no agent and there must be one. */
    static void require() {
        if (WHY_NOT != null && required()) {
            throw new IllegalStateException(WHY_NOT);
        }
    }

    private static String look() {
        try {
            return ask();
        } catch (UnsatisfiedLinkError absent) {
            String attached = attach();
            if (attached != null) {
                return attached;
            }
        }
        try {
            return ask();
        } catch (UnsatisfiedLinkError absent) {
            return missing();
        }
    }

    private static String ask() {
        byte[] whyNot = prepare();
        if (whyNot != null) {
            return "allocations are not counted: " + new String(whyNot, StandardCharsets.UTF_8);
        }
        // The VM links each of them now, and not where its own allocations would be measured.
        end(begin(NOTHING, "", "", false));
        take(0, 0, 0);
        return null;
    }

    private static String missing() {
        return "allocations are not counted; add -agentpath:" + library() + "=" + OPTIONS
                + " to the arguments of the JVM that runs the tests";
    }

    /** Null: the agent was loaded. Only where the JVM was told that it may attach to itself. */
    private static String attach() {
        String allowed = System.getProperty("jdk.attach.allowAttachSelf");
        File library = new File(library());
        if (allowed == null || allowed.equals("false") || !library.isFile()) {
            return missing();
        }
        try {
            SelfAttach.load(library.getAbsolutePath(), OPTIONS);
            return null;
        } catch (Exception | LinkageError failure) {
            return missing() + " (attaching: " + failure.getMessage() + ")";
        }
    }

    /** Beside the jar, or where packages put it; `ddm.agent` says it better. */
    private static String library() {
        String given = System.getProperty("ddm.agent");
        if (given != null) {
            return given;
        }
        try {
            CodeSource source = AgentLink.class.getProtectionDomain().getCodeSource();
            if (source != null && source.getLocation() != null) {
                File folder = new File(source.getLocation().toURI()).getParentFile();
                for (String place : new String[] {"libddmagent.so", "../../lib/libddmagent.so"}) {
                    File library = new File(folder, place);
                    if (library.isFile()) {
                        return library.getCanonicalPath();
                    }
                }
            }
        } catch (URISyntaxException | java.io.IOException | RuntimeException unknown) {
            // Then the path is a guess.
        }
        return "/usr/lib/libddmagent.so";
    }

    /** Switches counting on. Null: it is on; else UTF-8, why it is not. */
    private static native byte[] prepare();

    /** `live`: what of it stays alive is wanted. 0: nothing is counted any more. */
    static native long begin(int rule, String className, String method, boolean live);

    static native void end(long scope);

    /** What a scope that has ended has allocated, see {@link Figures}; null: there is no such scope. */
    static native byte[] take(long scope, int mostSites, int mostFrames);

    /** Begins a file of the sites of tests; its number, for {@link #takeLines}. */
    static native long beginLines();

    /** The same as take(), for a file: the sums, then the sites as lines of JSON that belong there next. */
    static native byte[] takeLines(long scope, long file, String test);
}
