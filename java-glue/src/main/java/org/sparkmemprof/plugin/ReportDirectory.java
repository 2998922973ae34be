package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.files.ReportFiles;
import org.sparkmemprof.notices.Notices;
import scala.Option;

/**
 * Where reports go: {@code spark.memprof.report.dir}, else a folder in the event log's directory
 * when there is one, else a private directory under the temporary one.
 */
final class ReportDirectory {
  private ReportDirectory() {}

  /**
   * The name of an application's folder: its id. When YARN starts a driver again, in cluster mode,
   * the application keeps its id; the folder of the later attempt has its number, so that it
   * doesn't replace what is known of the earlier one's death.
   */
  static String nameOf(String applicationId, Option<String> attempt) {
    boolean isLater =
        attempt.isDefined() && attempt.get().matches("\\d+") && !attempt.get().equals("1");
    return isLater ? applicationId + "_" + attempt.get() : applicationId;
  }

  /**
   * @param name of the application's folder
   */
  static ReportFiles open(
      Settings settings, SparkConf conf, String name, Configuration hadoop, Notices notices)
      throws IOException {
    if (settings.reportDirectory != null) {
      return ReportFiles.open(settings.reportDirectory, name, hadoop);
    }
    if (conf.getBoolean("spark.eventLog.enabled", false)) {
      String eventLog = conf.get("spark.eventLog.dir", "file:/tmp/spark-events");
      // Not beside the logs: Spark names an application's log as we name its folder, and can't
      // finish a log whose name is taken.
      return ReportFiles.open(eventLog + "/sparkmemprof", name, hadoop);
    }
    String reports =
        PrivateDirectories.makeOurs(
                Paths.get(System.getProperty("java.io.tmpdir", "/tmp")), notices::report, "reports")
            .toString(); // no URI: its %20 would be taken literally
    return ReportFiles.open(reports, name, hadoop);
  }
}
