package org.sparkmemprof.history;

import org.apache.spark.util.kvstore.KVIndex;
import org.sparkmemprof.report.ReportPart;

/**
 * A part of the report in the store that Spark's History Server keeps for an application, in memory
 * or on disk: once read from the event log, it is kept as long as Spark's own pages.
 */
public final class StoredPart {
  private static final int MOST_CHARS_OF_NAME = 1024;

  /** Kind and id: a newer part replaces an older one. */
  @KVIndex public String key;

  public String part;
  public String id;
  public int schemaVersion;
  public String report;

  public StoredPart() {}

  /** In place of parts for which there was no room: they have no text. */
  static StoredPart leftOut() {
    StoredPart none = new StoredPart();
    none.key = "";
    return none;
  }

  /** In place of one that is larger than any of ours; beside an earlier one of its kind and id. */
  static StoredPart refused(ReportPart event) {
    StoredPart none = new StoredPart();
    none.key = "refused/" + shortened(event.part) + "/" + shortened(event.id);
    none.part = shortened(event.part);
    return none;
  }

  private static String shortened(String text) {
    return text.substring(0, Math.min(text.length(), MOST_CHARS_OF_NAME));
  }

  boolean isLeftOut() {
    return report == null && part == null;
  }

  boolean isRefused() {
    return report == null && part != null;
  }

  StoredPart(ReportPart event) {
    key = event.part + "/" + event.id;
    part = event.part;
    id = event.id;
    schemaVersion = event.schemaVersion;
    report = event.report;
  }
}
