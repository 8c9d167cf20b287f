package com.google.monitoring.runtime.instrumentation;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** Loads the agent into this JVM if {@code -agentpath} has not. */
final class AgentLibrary {
    private static final String OPTIONS = "address=none,dump=none,engine=bci";

    private AgentLibrary() {
    }

    /** Throws an IllegalStateException that names the missing JVM argument. */
    static void load() {
        String library = AgentPath.find();
        String problem;
        try {
            // What `jcmd PID JVMTI.agent_load` does, from inside. The arguments become one line, so
            // they are quoted.
            Object reply = ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "jvmtiAgentLoad",
                    new Object[] {new String[] {quoted(library), quoted(OPTIONS)}},
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

    private static String quoted(String argument) {
        return '"' + argument + '"';
    }
}
