import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the smallest sources below a directory in this process, several times over; a whole
 * program. Arguments: directory, number of files, rounds. Prints "ROUND n ms" and at the end "DONE files".
 */
public class Javac {
    /** Class files go nowhere: what is of interest is the compiler. */
    static class NoOutput extends ForwardingJavaFileManager<JavaFileManager> {
        NoOutput(JavaFileManager manager) { super(manager); }

        @Override public JavaFileObject getJavaFileForOutput(Location location, String name,
                JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/')), kind) {
                @Override public OutputStream openOutputStream() {
                    return OutputStream.nullOutputStream();
                }
                @Override public Writer openWriter() { return new StringWriter(); }
            };
        }
    }

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        int limit = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        List<Path> sources;
        try (Stream<Path> walk = Files.walk(root)) {
            sources = walk.filter(p -> p.toString().endsWith(".java")
                            && !p.toString().endsWith("-info.java"))
                    .sorted(Comparator.comparingLong((Path p) -> p.toFile().length())
                            .thenComparing(Comparator.naturalOrder()))
                    .limit(limit).collect(Collectors.toCollection(ArrayList::new));
        }
        // Sources of another JDK (java_sources.py) have errors, which must not end the compilation.
        boolean own = Runtime.version().feature() == 17
                || Files.exists(Path.of(System.getProperty("java.home"), "lib", "src.zip"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (int round = 1; round <= rounds; round++) {
            long begin = System.nanoTime();
            try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null)) {
                List<String> options = List.of("-nowarn", "-Xlint:none", "-proc:none",
                        "-XDignore.symbol.file", "-XDshould-stop.ifError=GENERATE",
                        "--patch-module", "java.base=" + root);
                boolean good = compiler.getTask(new StringWriter(), new NoOutput(standard), null,
                        options, null, standard.getJavaFileObjectsFromPaths(sources)).call();
                if (own && !good) throw new IllegalStateException("the sources do not compile");
            }
            System.out.println("ROUND " + round + " " + (System.nanoTime() - begin) / 1_000_000);
        }
        System.out.println("DONE " + sources.size());
    }
}
