package org.sparkmemprof.plugin;

/**
 * What executors send to the driver in addition to profiles. A profile is a {@code byte[]}; these
 * are {@code String[]}, so that no class of ours has to be known where Spark deserialises them.
 */
final class Messages {
  static final String NOTICE = "notice";
  static final String STARTED = "started";
  static final String STOPPED = "stopped";

  private Messages() {}

  static String[] notice(String what, String why) {
    return new String[] {NOTICE, what, why};
  }

  /** The executor profiles, and will send {@link #stopped} after its last message. */
  static String[] started(String executorId) {
    return new String[] {STARTED, executorId};
  }

  /**
   * @param dropped how many messages could not be sent
   */
  static String[] stopped(String executorId, long dropped) {
    return new String[] {STOPPED, executorId, Long.toString(dropped)};
  }
}
