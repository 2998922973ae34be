package org.sparkmemprof.ui;

/** Answers the Memory tab's requests, in native memory. Thread-safe. */
public interface Answers {
  /**
   * See {@link org.sparkmemprof.jni.NativePages#answer}.
   *
   * @return a handle for {@link org.sparkmemprof.jni.NativePages#free}; 0: there is no answer
   */
  long answer(String path, String query) throws Exception;

  /** Why there is no answer, and what to do: a sentence for the reader. */
  String whyNone();
}
