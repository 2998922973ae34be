import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Sixty tasks, one after another, in some two seconds; more of them until two have brought the
 * executor's figures. Then one that still runs.
 */
public final class ShortTasks {
  private static final int TASKS = 60;

  public static void main(String[] args) throws Exception {
    Probe.start();
    Probe.await(Probe.SNAPSHOT, 0); // the watcher has looked
    int task = 1;
    for (int brought = 0; task <= TASKS || (brought < 2 && task < 100 * TASKS); task++) {
      Probe.task(task);
      Probe.sleep(30);
      Path name = Path.of(String.format("ended-%04d", task));
      Probe.close(task, name.toString());
      String text = new String(Files.readAllBytes(name), StandardCharsets.ISO_8859_1);
      if (text.contains("agentpath")) brought++; // how the agent was loaded is among them
    }
    Probe.task(task);
    Files.write(Path.of("interim"), NativeAgent.taskSnapshot(task, Probe.MAX_BYTES));
    NativeAgent.stop();
  }
}
