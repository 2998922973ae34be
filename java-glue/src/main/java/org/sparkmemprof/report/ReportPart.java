package org.sparkmemprof.report;

import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * A part of the report in Spark's event log. Spark writes the public fields as JSON under this
 * class's name and reads them back by the constructor without arguments; a History Server without
 * our jar ignores the event. The text's format: {@code common/eventlog/event_parts.h}.
 */
public final class ReportPart implements SparkListenerEvent {
  static final int SCHEMA_VERSION = 1;

  /** A later version may have other parts; unknown ones are ignored. */
  public String part;

  /** Of several with the same part and id the last one counts. */
  public String id;

  public int schemaVersion;
  public String report;

  public ReportPart() {}

  ReportPart(String part, String id, String report) {
    this.part = part;
    this.id = id;
    this.schemaVersion = SCHEMA_VERSION;
    this.report = report;
  }
}
