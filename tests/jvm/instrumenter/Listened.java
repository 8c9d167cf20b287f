import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.ConstructorInstrumenter;
import com.google.monitoring.runtime.instrumentation.Sampler;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Listens to what it makes of classes of its own, in code that Java 8 has, and prints for each kind what it
 * has made and what it was told: "KIND MADE TOLD BYTES DESC:COUNT".
 */
public class Listened {
    static class Node implements Cloneable {
        final int number;
        final int twice;

        Node(int number) {
            this.number = number;
            twice = new Inner(number).twice();
        }

        Node() {
            this(7);
        }

        @Override
        public Node clone() throws CloneNotSupportedException {
            return (Node) super.clone();
        }
    }

    static class Inner {
        final int number;

        Inner(int number) {
            this.number = number;
        }

        int twice() {
            return 2 * number;
        }
    }

    static class Sub extends Node {
        Sub() {
            super(3);
        }
    }

    interface Work {
        int run() throws Exception;
    }

    static volatile Object sink;
    static final Set<String> SAID = new ConcurrentSkipListSet<String>();
    static final AtomicLong TOLD = new AtomicLong();
    static final AtomicLong BYTES = new AtomicLong();
    static final AtomicLong HALF = new AtomicLong(); // objects that are not complete
    static volatile String wanted = "";

    static final Sampler SAMPLER = new Sampler() {
        @Override
        public void sampleAllocation(int count, String desc, Object made, long size) {
            Class<?> type = made.getClass();
            if (!type.getName().equals(wanted)) {
                return;
            }
            BYTES.addAndGet(size);
            TOLD.incrementAndGet();
            SAID.add(desc + ":" + count);
            if (made instanceof Node && ((Node) made).twice != 2 * ((Node) made).number) {
                HALF.incrementAndGet();
            }
        }
    };

    static void step(String kind, String type, Work work) throws Exception {
        TOLD.set(0);
        BYTES.set(0);
        SAID.clear();
        wanted = type;
        int made = work.run();
        wanted = "";
        StringBuilder said = new StringBuilder();
        for (String one : SAID) {
            said.append(' ').append(one);
        }
        System.out.println(kind + " " + made + " " + TOLD + " " + BYTES + said);
    }

    static void kinds() throws Exception {
        step("new", "Listened$Node", new Work() {
            @Override
            public int run() {
                for (int i = 0; i < 5000; ++i) {
                    sink = new Node(i);
                    sink = new Node();
                }
                return 10000;
            }
        });
        step("inside", "Listened$Inner", new Work() {
            @Override
            public int run() {
                sink = new Node(1);
                sink = new Sub();
                return 2;
            }
        });
        step("sub", "Listened$Sub", new Work() {
            @Override
            public int run() {
                for (int i = 0; i < 100; ++i) {
                    sink = new Sub();
                }
                return 100;
            }
        });
        final Constructor<Node> constructor = Node.class.getDeclaredConstructor();
        step("reflection", "Listened$Node", new Work() {
            @Override
            public int run() throws Exception {
                for (int i = 0; i < 100; ++i) {
                    sink = constructor.newInstance();
                }
                return 100;
            }
        });
        step("clone", "Listened$Node", new Work() {
            @Override
            public int run() throws Exception {
                Node node = new Node(1);
                for (int i = 0; i < 100; ++i) {
                    sink = node.clone();
                }
                return 101;
            }
        });
        step("array", "[LListened$Node;", new Work() {
            @Override
            public int run() {
                for (int i = 0; i < 100; ++i) {
                    sink = new Node[5];
                    sink = Array.newInstance(Node.class, 5);
                }
                return 200;
            }
        });
        step("array-clone", "[LListened$Node;", new Work() {
            @Override
            public int run() {
                Node[] nodes = new Node[5];
                for (int i = 0; i < 100; ++i) {
                    sink = nodes.clone();
                }
                return 101;
            }
        });
        step("array-copy", "[LListened$Node;", new Work() {
            @Override
            public int run() {
                Node[] nodes = new Node[6];
                for (int i = 0; i < 100; ++i) {
                    sink = Arrays.copyOf(nodes, 6);
                    sink = Arrays.copyOfRange(nodes, 0, 6);
                }
                return 201;
            }
        });
        step("arrays", "[[LListened$Node;", new Work() {
            @Override
            public int run() {
                for (int i = 0; i < 100; ++i) {
                    sink = new Node[2][3];
                }
                return 100;
            }
        });
        step("threads", "Listened$Node", new Work() {
            @Override
            public int run() throws Exception {
                Thread[] threads = new Thread[4];
                for (int n = 0; n < threads.length; ++n) {
                    threads[n] = new Thread() {
                        @Override
                        public void run() {
                            for (int i = 0; i < 1000; ++i) {
                                sink = new Node(i);
                            }
                        }
                    };
                    threads[n].start();
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                return 4000;
            }
        });
    }

    static void callbacks() throws Exception {
        final AtomicLong told = new AtomicLong();
        ConstructorInstrumenter.instrumentClass(Node.class, made -> {
            told.incrementAndGet();
        });
        for (int i = 0; i < 100; ++i) {
            sink = new Node(i);
            sink = new Sub();
        }
        System.out.println("callback 100 " + told + " 0");
    }

    /** Of the original's manual, in other words: what is told can be looked at. */
    static void strings() {
        final StringBuilder said = new StringBuilder();
        Sampler sampler = (count, desc, made, size) -> {
            if (desc.equals("java/lang/String") && made.equals("foo")) {
                said.append(made);
            }
        };
        AllocationRecorder.addSampler(sampler);
        for (int i = 0; i < 10; ++i) {
            sink = new String("foo");
        }
        AllocationRecorder.removeSampler(sampler);
        sink = new String("foo");
        System.out.println("strings 30 " + said.length() + " 0");
    }

    public static void main(String[] arguments) throws Exception {
        AllocationRecorder.addSampler(SAMPLER);
        kinds();
        AllocationRecorder.removeSampler(SAMPLER);
        step("removed", "Listened$Node", new Work() {
            @Override
            public int run() {
                sink = new Node(1);
                return 0;
            }
        });
        strings();
        callbacks();
        System.out.println("half 0 " + HALF + " 0");
    }
}
