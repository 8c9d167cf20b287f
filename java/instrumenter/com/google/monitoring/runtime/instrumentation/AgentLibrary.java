package com.google.monitoring.runtime.instrumentation;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.security.CodeSource;
import javax.management.JMException;
import javax.management.ObjectName;

/** Loads the agent into this JVM where {@code -agentpath} has not. */
final class AgentLibrary {
    private static final String OPTIONS = "address=none,dump=none,engine=bci";

    private AgentLibrary() {
    }

    /** Throws an IllegalStateException that says what to add. */
    static void load() {
        String library = path();
        String problem;
        try {
            // What `jcmd PID JVMTI.agent_load` does, from inside.
            Object said = ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "jvmtiAgentLoad",
                    new Object[] {new String[] {library, "\"" + OPTIONS + "\""}},
                    new String[] {String[].class.getName()});
            if (String.valueOf(said).contains("return code: 0")) {
                return;
            }
            problem = String.valueOf(said).trim();
        } catch (JMException | RuntimeException failure) {
            problem = failure.getMessage();
        }
        throw new IllegalStateException("add -agentpath:" + library + "=" + OPTIONS
                + " to the arguments of this JVM (" + problem + ")");
    }

    /** Beside the jar, or where packages put it; `ddm.agent` says it better. */
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
