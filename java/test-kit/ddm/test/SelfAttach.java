package ddm.test;

import com.sun.tools.attach.VirtualMachine;

/** A class of its own, so that a JVM without the module jdk.attach does not need to resolve it. */
final class SelfAttach {
    private SelfAttach() {
    }

    static void load(String library, String options) throws Exception {
        VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        try {
            self.loadAgentPath(library, options);
        } finally {
            self.detach();
        }
    }
}
