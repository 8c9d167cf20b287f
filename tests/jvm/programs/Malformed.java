import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Defines a class with a descriptor that is none, when it is told to; the VM refuses the class. */
public final class Malformed {
    private Malformed() {
    }

    static final class Shop {
        int price(String article) {
            return article.length();
        }
    }

    static final class Copies extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static byte[] broken() throws Exception {
        try (InputStream in = Malformed.class.getResourceAsStream("Malformed$Shop.class")) {
            String letters = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return letters.replace("(Ljava/lang/String;)I", "(Ljava/lang/String:)I").getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (System.in.read() == '\n') {
            try {
                System.out.println(new Copies().define(broken()));
            } catch (ClassFormatError refused) {
                System.out.println("refused");
            }
        }
    }
}
