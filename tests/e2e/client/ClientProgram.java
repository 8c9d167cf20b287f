import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.apache.harmony.dalvik.ddmc.Chunk;
import org.apache.harmony.dalvik.ddmc.ChunkHandler;
import org.apache.harmony.dalvik.ddmc.DdmServer;
import org.apache.harmony.dalvik.ddmc.DdmVmInternal;
import org.apache.harmony.dalvik.ddmc.RecentAllocation;

/**
 * A program with chunk types of its own. Commands on stdin, an answer of one line to each. With the
 * argument "later" it registers no handler by itself.
 */
public class ClientProgram {
    static final class Marker {
        int value;  // 16 bytes, however large headers are
    }

    static volatile Object sink;
    static volatile int connected;
    static volatile int disconnected;
    static final Semaphore released = new Semaphore(0);  // SLOW waits for it

    static class Handler extends ChunkHandler {
        @Override
        public Chunk handleChunk(Chunk request) {
            switch (name(request.type)) {
                case "BACK": {  // the data, backwards, and with something around it in the array
                    ByteBuffer in = wrapChunk(request);
                    byte[] out = new byte[in.remaining() + 2];
                    for (int i = out.length - 2; i >= 1; i--) {
                        out[i] = in.get();
                    }
                    return new Chunk(request.type, out, 1, out.length - 2);
                }
                case "NONE":
                    return null;
                case "OOPS":
                    throw new IllegalStateException("as it was meant to");
                case "DEEP":
                    return handleChunk(request);
                case "NOPE":
                    return createFailChunk(42, "n\u00f6 \ud83d\ude00");
                case "LIES": {
                    Chunk answer = new Chunk(request.type, new byte[2], 1, 1);
                    answer.length = ByteBuffer.wrap(request.data).getInt();
                    return answer;
                }
                case "SLOW":
                    try {
                        released.acquire();
                    } catch (InterruptedException ended) {
                        return null;
                    }
                    return null;
                default:
                    throw new AssertionError(name(request.type));
            }
        }

        @Override
        public void connected() {
            connected++;
        }

        @Override
        public void disconnected() {
            disconnected++;
        }
    }

    public static void main(String[] args) throws Exception {
        Handler handler = new Handler();
        if (args.length == 0) {
            for (String type : List.of("BACK", "NONE", "OOPS", "DEEP", "NOPE", "LIES", "SLOW")) {
                DdmServer.registerHandler(ChunkHandler.type(type), handler);
            }
            DdmServer.registrationComplete();
        }
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = answer(line.split(" "), handler);
            } catch (RuntimeException problem) {
                answer = problem.getClass().getSimpleName() + ": " + problem.getMessage();
            }
            System.out.println(answer);
        }
    }

    static String answer(String[] words, Handler handler) throws InterruptedException {
        switch (words[0]) {
            case "register":
                DdmServer.registerHandler(ChunkHandler.type(words[1]), handler);
                return "done";
            case "unregister":
                return String.valueOf(
                        DdmServer.unregisterHandler(ChunkHandler.type(words[1])) == handler);
            case "send":
                DdmServer.sendChunk(new Chunk(ChunkHandler.type(words[1]),
                        new byte[] {0, 1, 2, 3, 4}, 1, 3));
                return "done";
            case "overrun": {  // OFFSET LENGTH of five bytes, after the chunk was made
                Chunk chunk = new Chunk(ChunkHandler.type("OVER"), new byte[5], 0, 0);
                chunk.offset = Integer.parseInt(words[1]);
                chunk.length = Integer.parseInt(words[2]);
                DdmServer.sendChunk(chunk);
                return "done";
            }
            case "chunk":
                new Chunk(ChunkHandler.type("OVER"), words[3].equals("null") ? null : new byte[5],
                        Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                return "done";
            case "direct":
                new Chunk(ChunkHandler.type("OVER"), ByteBuffer.allocateDirect(5));
                return "done";
            case "release":
                released.release();
                return "done";
            case "connections":
                return connected + " " + disconnected;
            case "allocations":
                return allocations();
            case "status":
                return String.valueOf(DdmVmInternal.getRecentAllocationStatus());
            case "stack": {
                StackTraceElement[] stack = DdmVmInternal.getStackTraceById(
                        Integer.parseInt(words[1]));
                return stack == null ? "none" : Arrays.toString(stack);
            }
            case "threads": {
                byte[] stats = DdmVmInternal.getThreadStats();
                return stats == null ? "none" : String.valueOf(
                        ByteBuffer.wrap(stats).getShort(2) * 18 + 4 == stats.length);
            }
            case "notify":
                DdmVmInternal.threadNotify(words[1].equals("on"));
                return DdmVmInternal.heapInfoNotify(4) + " " + DdmVmInternal.heapInfoNotify(0);
            case "new": {
                Thread thread = new Thread(() -> { }, words[1]);
                thread.start();
                thread.join();
                return "done";
            }
            default:
                return "no such command";
        }
    }

    /** Twice, since the second time is another path through the agent. */
    static String allocations() {
        StringBuilder answer = new StringBuilder();
        for (int round = 1; round <= 2; round++) {
            DdmVmInternal.enableRecentAllocations(true);
            answer.append(DdmVmInternal.getRecentAllocationStatus()).append(' ');
            make(round * 100);
            DdmVmInternal.enableRecentAllocations(false);
            make(1000);
            Map<String, Integer> sites = new TreeMap<>();
            for (RecentAllocation one
                    : RecentAllocation.parse(DdmVmInternal.getRecentAllocations())) {
                if (one.className().equals("ClientProgram$Marker")
                        || one.className().equals("java.lang.String[][]")) {
                    sites.merge(one.className() + " " + one.size() + " "
                            + one.stack().get(0).getMethodName() + " "
                            + one.stack().get(1).getMethodName(), 1, Integer::sum);
                }
            }
            answer.append(sites).append(' ');
        }
        return answer.toString().trim();
    }

    static void make(int count) {
        for (int i = 0; i < count; i++) {
            sink = new Marker();
        }
        sink = new String[4][];  // 32 bytes, however large headers are
    }
}
