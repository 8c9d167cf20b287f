package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** The platform thread that runs the current one. Called on VMs alone that have the method. */
final class DdmTrackerCarrier {
    private DdmTrackerCarrier() { }

    @Hidden @ForceInline
    static Thread thread() {
        return Thread.currentCarrierThread();
    }
}
