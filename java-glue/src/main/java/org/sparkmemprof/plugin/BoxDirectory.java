package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.spark.SparkConf;
import org.sparkmemprof.files.Claim;
import org.sparkmemprof.files.Leftovers;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.notices.Notices;

/**
 * The directory of an application's black boxes on this host: one for all its executors here, since
 * the next executor may have to read the boxes of one that died. A claim marks each executor that
 * uses it, so that the last one to leave, and no other, removes it.
 */
final class BoxDirectory {
  private final Path path;
  private final Claim mark;

  private BoxDirectory(Path path, Claim mark) {
    this.path = path;
    this.mark = mark;
  }

  /**
   * @param configured {@code spark.memprof.box.dir}, or null
   * @param name of the directory, {@link #nameOf}
   * @param failures receives why each place was refused
   * @param notices is told when our directory's usual name is taken
   * @return null when no place would do
   */
  static BoxDirectory make(
      String configured,
      String name,
      String executorId,
      boolean workingDirectoryIsOurs,
      StringBuilder failures,
      Notices notices) {
    for (Path base : candidates(configured, workingDirectoryIsOurs)) {
      try {
        Path path = PrivateDirectories.makeOurs(base, notices::report, name);
        String mark = "executor-" + executorId + "-" + UUID.randomUUID() + Leftovers.MARK_SUFFIX;
        BoxDirectory made = new BoxDirectory(path, Claim.make(path.resolve(mark)));
        Leftovers.remove(path.getParent());
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

  Path path() {
    return path;
  }

  /** Removes the directory with the last executor; boxes of dead ones keep it. */
  void leave() {
    mark.release();
    PrivateDirectories.deleteIfEmpty(path);
  }
}
