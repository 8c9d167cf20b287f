package limits;

import ddm.test.AllocationSite;
import ddm.test.Allocations;
import java.util.concurrent.TimeUnit;

/** What Allocations tells, a line each: what, objects, bytes, first uses' objects, class of the top site. */
final class DuringMain {
    static Object sink;

    static final class Node {
        Node next;
    }

    static final class First {
        static final long[] TABLE = new long[100];

        static long some() {
            return TABLE[1];
        }
    }

    static void tell(String what, Allocations made) {
        String top = made.sites().isEmpty() ? "-" : made.sites().get(0).className();
        System.out.println(what + " " + made.measured() + " " + made.objects() + " " + made.bytes() + " "
                + made.firstUseObjects() + " " + top);
    }

    static void nodes(int count) {
        for (int i = 0; i < count; ++i) {
            sink = new Node();
        }
    }

    static void onThread(int count) {
        Thread thread = new Thread(() -> nodes(count));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    static long nodesOf(Allocations made) {
        long count = 0;
        for (AllocationSite site : made.sites()) {
            count += site.className().equals(Node.class.getTypeName()) ? site.objects() : 0;
        }
        return count;
    }

    public static void main(String[] arguments) {
        tell("nothing", Allocations.during(() -> { }));
        tell("nodes", Allocations.during(() -> nodes(1000)));
        tell("first", Allocations.during(() -> {
            if (First.some() != 0) {
                nodes(3);
            }
        }));
        Allocations threads = Allocations.during(() -> {
            nodes(10);
            onThread(100);
        });
        System.out.println("threads " + nodesOf(threads));
        Allocations[] inner = new Allocations[1];
        Allocations outer = Allocations.during(() -> {
            nodes(1);
            inner[0] = Allocations.during(() -> nodes(20));
            nodes(4);
        });
        System.out.println("nested " + nodesOf(inner[0]) + " " + nodesOf(outer) + " " + outer.objects());
        int[] left = {3};
        tell("settled", Allocations.settled(10, () -> nodes(left[0] > 0 ? left[0]-- : 0)));
        System.out.println("stack " + (threads.sites().isEmpty() ? "-" : Allocations.during(() -> nodes(1)).sites()
                .get(0).stack().get(0)));
        try {
            Allocations.during(() -> {
                throw new IllegalStateException("passes through");
            });
        } catch (IllegalStateException thrown) {
            System.out.println(thrown.getMessage());
        }
        long begin = System.nanoTime();
        for (int i = 0; i < 2000; ++i) {
            Allocations.during(() -> nodes(1));
        }
        System.out.println("micros " + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin) / 2000);
    }
}
