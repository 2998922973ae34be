package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.sparkmemprof.files.Claim;
import org.sparkmemprof.files.Leftovers;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;

/**
 * The directory of an application's black boxes on this host: one for all its executors here, since
 * the next executor may have to read the boxes of one that died. A claim marks each executor that
 * uses it, so that the last one to leave, and no other, removes it.
 */
final class BoxDirectory {
  private static final long MOST_SECONDS = 5;

  private final Path path;
  private final Claim mark;

  private BoxDirectory(Path path, Claim mark) {
    this.path = path;
    this.mark = mark;
  }

  /**
   * @param configured {@code spark.memprof.box.dir}, or null
   * @param name of the directory, {@link #nameOf}
   * @param patience by what the five seconds are multiplied that it waits for the file system
   * @param failures receives why each place was refused
   * @param notices is told when our directory's usual name is taken
   * @return null when no place would do
   */
  static BoxDirectory make(
      String configured,
      String name,
      String executorId,
      boolean workingDirectoryIsOurs,
      int patience,
      StringBuilder failures,
      Notices notices) {
    Making making = new Making();
    long most = TimeUnit.SECONDS.toMillis(MOST_SECONDS * patience);
    Runnable work =
        () -> {
          try {
            List<Path> places = candidates(configured, workingDirectoryIsOurs);
            making.done(madeSomewhere(places, name, executorId, making.failures, notices));
          } catch (Throwable e) {
            making.failures.append(e);
          }
        };
    if (OurThreads.runWithin(most, "boxes", work)) {
      failures.append(making.failures);
    } else {
      failures.append("the file system did not answer in ").append(most).append(" ms");
    }
    return making.take();
  }

  /** What is made later than anybody waits for it is given up at once. */
  private static final class Making {
    final StringBuilder failures = new StringBuilder();
    private BoxDirectory made; // guarded by this, like the next
    private boolean isTaken;

    synchronized void done(BoxDirectory directory) {
      made = directory;
      if (isTaken && made != null) {
        made.leave();
      }
    }

    synchronized BoxDirectory take() {
      isTaken = true;
      return made;
    }
  }

  private static BoxDirectory madeSomewhere(
      List<Path> places, String name, String executorId, StringBuilder failures, Notices notices) {
    for (Path base : places) {
      try {
        Path path = PrivateDirectories.makeOurs(base, notices::report, name);
        String mark = "executor-" + executorId + "-" + UUID.randomUUID() + Leftovers.MARK_SUFFIX;
        BoxDirectory made = new BoxDirectory(path, Claim.make(path.resolve(mark)));
        return made;
      } catch (IOException | RuntimeException e) {
        failures.append(failures.length() == 0 ? "" : "; ").append(e);
      }
    }
    return null;
  }

  /**
   * The application's id and start. Two standalone masters on one host give the same id to
   * applications that start in the same second, and YARN gives it to each attempt.
   */
  static String nameOf(String applicationId, SparkConf conf) {
    String started = conf.get("spark.app.startTime", "");
    return started.matches("[0-9]+") ? applicationId + "-" + started : applicationId;
  }

  private static List<Path> candidates(String configured, boolean workingDirectoryIsOurs) {
    List<Path> places = new ArrayList<>();
    if (configured != null) {
      places.add(Paths.get(configured).toAbsolutePath());
      return places;
    }
    if (System.getenv("CONTAINER_ID") != null) { // YARN: cleaned up with the application
      addFirst(places, System.getenv("LOCAL_DIRS"));
    }
    if (System.getenv("KUBERNETES_SERVICE_HOST") != null) { // emptyDirs
      addFirst(places, System.getenv("SPARK_LOCAL_DIRS"));
    }
    places.addAll(PrivateDirectories.forCode(workingDirectoryIsOurs));
    return places;
  }

  private static void addFirst(List<Path> places, String commaSeparated) {
    if (commaSeparated != null && !commaSeparated.isEmpty()) {
      places.add(Paths.get(commaSeparated.split(",")[0]));
    }
  }

  /**
   * Removes what dead processes have left in this place, on a thread of its own. Call it when this
   * JVM has made all its claims there.
   */
  void removeLeftovers() {
    OurThreads.daemon("leftovers").newThread(() -> Leftovers.remove(path.getParent())).start();
  }

  Path path() {
    return path;
  }

  /** Removes the directory with the last executor; boxes of dead ones keep it. */
  void leave() {
    mark.release();
    PrivateDirectories.deleteIfEmpty(path);
  }
}
