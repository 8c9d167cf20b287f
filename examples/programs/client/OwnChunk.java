package client;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.harmony.dalvik.ddmc.Chunk;
import org.apache.harmony.dalvik.ddmc.ChunkHandler;
import org.apache.harmony.dalvik.ddmc.DdmServer;

/**
 * A shop with a chunk of its own: a DDM server asks for its takings (SHOP), and is told of every
 * hundredth sale (SOLD) unasked. Without the agent it is just a shop.
 */
public final class OwnChunk {
    private static final int SHOP = ChunkHandler.type("SHOP");
    private static final int SOLD = ChunkHandler.type("SOLD");

    private static final AtomicInteger sales = new AtomicInteger();

    /** SHOP: no data; the answer is u4 sales, and a name with its length before it. */
    private static final class ShopHandler extends ChunkHandler {
        @Override
        public Chunk handleChunk(Chunk request) {
            if (request.length != 0) {
                return createFailChunk(1, "SHOP has no data");
            }
            String name = "corner shop";
            ByteBuffer out = ByteBuffer.allocate(8 + 2 * name.length()).order(CHUNK_ORDER);
            out.putInt(sales.get());
            out.putInt(name.length());
            putString(out, name);
            return new Chunk(SHOP, out);
        }

        @Override
        public void connected() {
            System.out.println("a DDM server has connected");
        }

        @Override
        public void disconnected() {
            System.out.println("the last DDM server has gone");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        DdmServer.registerHandler(SHOP, new ShopHandler());
        DdmServer.registrationComplete();
        long end = System.nanoTime() + Integer.parseInt(args[0]) * 1_000_000_000L;
        while (System.nanoTime() < end) {
            int sold = sales.incrementAndGet();
            if (sold % 100 == 0) {
                byte[] data = ByteBuffer.allocate(4).putInt(sold).array();
                DdmServer.sendChunk(new Chunk(SOLD, data, 0, data.length));
            }
            Thread.sleep(5);
        }
    }
}
