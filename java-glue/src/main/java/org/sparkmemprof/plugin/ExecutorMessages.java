package org.sparkmemprof.plugin;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sparkmemprof.notices.OneLine;

/**
 * Receives what executors send. It may come of another version of ours, or of anybody else in the
 * application: what isn't understood is ignored, and what is kept is bounded. Thread-safe.
 */
final class ExecutorMessages {
  static final int MOST_EXECUTORS = 10_000;
  private static final int ID_CHARS = 200;

  private final Consumer<byte[]> profiles;
  private final Predicate<String> isKnown;
  private final DriverNotices notices;
  private final Set<String> profiling = ConcurrentHashMap.newKeySet(); // executors

  /**
   * @param profiles takes them of any size: the store refuses, and says so once, what is larger
   *     than a message of ours
   * @param isKnown false for an executor that Spark has removed, or never had
   */
  ExecutorMessages(Consumer<byte[]> profiles, Predicate<String> isKnown, DriverNotices notices) {
    this.profiles = profiles;
    this.isKnown = isKnown;
    this.notices = notices;
  }

  void receive(Object message) {
    if (message instanceof byte[]) {
      profiles.accept((byte[]) message);
    } else if (message instanceof String[]) {
      receive((String[]) message);
    }
  }

  /** True when each executor that profiles, and that Spark still has, has sent its last message. */
  boolean areOver() {
    return profiling.stream().noneMatch(isKnown);
  }

  private void receive(String[] message) {
    if (!has(message, 2)) {
      return;
    }
    switch (message[0]) {
      case Messages.NOTICE:
        if (has(message, 3)) {
          notices.reportOfExecutor(message[1], message[2]);
        }
        break;
      case Messages.STARTED:
        started(message[1]);
        break;
      case Messages.STOPPED:
        profiling.remove(message[1]);
        if (has(message, 3)) {
          tellDropped(message[1], message[2]);
        }
        break;
      default: // of another version of ours
    }
  }

  private static boolean has(String[] message, int fields) {
    for (int i = 0; i < fields; i++) {
      if (i >= message.length || message[i] == null) {
        return false;
      }
    }
    return true;
  }

  private void started(String executorId) {
    if (executorId.length() > ID_CHARS) {
      return;
    }
    if (profiling.size() >= MOST_EXECUTORS) {
      profiling.removeIf(id -> !isKnown.test(id)); // they died
    }
    if (profiling.size() < MOST_EXECUTORS) {
      profiling.add(executorId);
    }
  }

  private void tellDropped(String executorId, String messages) {
    long dropped = number(messages);
    if (dropped > 0) {
      String executor = "executor " + OneLine.of(executorId, ID_CHARS);
      notices.lineOfExecutor(
          "messages of executors", executor + ": " + dropped + " could not be sent");
    }
  }

  /** 0 for what is none. */
  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
