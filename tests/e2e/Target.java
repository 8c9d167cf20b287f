import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running DdmlibTarget: commands in, Java's own truth out. */
final class Target {
    private static final Pattern THREAD = Pattern.compile(
            "^\"(.*?)\" .*\\bnid=(0x[0-9a-f]+|\\d+)", Pattern.MULTILINE);

    private final Process process;
    private final String jdk;
    private final PrintStream in;
    private final BufferedReader out;

    Target(String jdk, List<String> flags) throws IOException {
        this.jdk = jdk;
        List<String> line = new ArrayList<>(List.of(jdk + "/bin/java"));
        line.addAll(flags);
        line.add("DdmlibTarget");
        process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        in = new PrintStream(process.getOutputStream(), true);
        out = new BufferedReader(new InputStreamReader(process.getInputStream()));
        String first = out.readLine();
        if (!"ready".equals(first)) {
            throw new IOException("the target said " + first);
        }
    }

    int pid() {
        return (int) process.pid();
    }

    Process process() {
        return process;
    }

    /** The lines of the answer, each cut at its tabs. */
    List<String[]> ask(String command) throws IOException {
        in.println(command);
        List<String[]> answer = new ArrayList<>();
        for (String line = out.readLine(); !"end".equals(line); line = out.readLine()) {
            if (line == null) {
                throw new IOException("the target has ended at: " + command);
            }
            answer.add(line.split("\t"));
        }
        return answer;
    }

    /** OS thread ids by name, as jstack sees them. */
    Map<String, Integer> nativeIds() throws IOException {
        Process jcmd = new ProcessBuilder(jdk + "/bin/jcmd", String.valueOf(pid()), "Thread.print")
                .redirectErrorStream(true).start();
        String text = new String(jcmd.getInputStream().readAllBytes());
        Map<String, Integer> ids = new HashMap<>();
        Matcher matcher = THREAD.matcher(text);
        while (matcher.find()) {
            ids.put(matcher.group(1), Integer.decode(matcher.group(2)));
        }
        return ids;
    }
}
