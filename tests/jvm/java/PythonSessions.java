import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sparkmemprof.jni.NativeAgent;

/**
 * A task served by Python workers: arguments are box_writer, its library, and one mode per worker.
 */
public final class PythonSessions {
  public static void main(String[] args) throws Exception {
    Probe.start();
    Probe.task(1);
    List<Process> workers = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      ProcessBuilder builder = new ProcessBuilder(args[0], "boxes", "1", args[i], args[1]);
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
      Process worker = builder.start();
      byte[] ready = worker.getInputStream().readNBytes(6);
      if (!new String(ready).equals("ready\n"))
        throw new AssertionError("box_writer did not start");
      workers.add(worker);
    }
    byte[] interim = NativeAgent.taskSnapshot(1, 4096);
    Files.write(Path.of("interim"), interim);
    Probe.close(1, "task");
    Probe.close(1, "again");
    for (Process worker : workers) {
      worker.getOutputStream().close();
      worker.waitFor();
    }
    try (var boxes = Files.list(Path.of("boxes"))) {
      System.out.println("boxes left: " + boxes.count());
    }
    NativeAgent.stop();
    Probe.drain(0);
    try (var boxes = Files.list(Path.of("boxes"))) {
      System.out.println("boxes at the end: " + boxes.count());
    }
  }
}
