package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/** The platform thread that runs the current one. Only called on VMs that have the method. */
final class DdmTrackerCarrier {
    private DdmTrackerCarrier() { }

    @ForceInline
    static Thread thread() {
        return Thread.currentCarrierThread();
    }
}
