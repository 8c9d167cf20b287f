package com.google.monitoring.runtime.instrumentation;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.security.CodeSource;
import javax.management.JMException;
import javax.management.ObjectName;

/** Loads the agent into this JVM if {@code -agentpath} has not. */
final class AgentLibrary {
    private static final String OPTIONS = "address=none,dump=none,engine=bci";

    private AgentLibrary() {
    }

    /** Throws an IllegalStateException that names the missing JVM argument. */
    static void load() {
        String library = path();
        String problem;
        try {
            // What `jcmd PID JVMTI.agent_load` does, from inside.
            Object reply = ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "jvmtiAgentLoad",
                    new Object[] {new String[] {library, "\"" + OPTIONS + "\""}},
                    new String[] {String[].class.getName()});
            if (String.valueOf(reply).contains("return code: 0")) {
                return;
            }
            problem = String.valueOf(reply).trim();
        } catch (JMException | RuntimeException failure) {
            problem = failure.getMessage();
        }
        throw new IllegalStateException("add -agentpath:" + library + "=" + OPTIONS
                + " to the arguments of this JVM (" + problem + ")");
    }

    /**
     * The path of the agent's library: `ddm.agent`, else beside the jar, else that of the package.
     */
    private static String path() {
        String given = System.getProperty("ddm.agent");
        if (given != null) {
            return given;
        }
        try {
            CodeSource source = AgentLibrary.class.getProtectionDomain().getCodeSource();
            if (source != null && source.getLocation() != null) {
                File folder = new File(source.getLocation().toURI()).getParentFile();
                for (String place : new String[] {"libddmagent.so", "../../lib/libddmagent.so"}) {
                    File library = new File(folder, place);
                    if (library.isFile()) {
                        return library.getCanonicalPath();
                    }
                }
            }
        } catch (URISyntaxException | IOException | RuntimeException unknown) {
            // Then the path is a guess.
        }
        return "/usr/lib/libddmagent.so";
    }
}
