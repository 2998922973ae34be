package org.sparkmemprof.ui;

import java.io.IOException;
import java.io.OutputStream;

/** One HTTP request and its response, as both of Spark's servlet APIs can give them. */
interface Exchange {
  String method();

  /** Below the tab, decoded; null or empty at the tab itself. */
  String path();

  /** As in the URL, without the question mark; null: none. */
  String query();

  /** The servlet API's own request, for Spark's page frame. */
  Object request();

  /** Before {@link #body}. */
  void respond(int status, String contentType, long bytes);

  /** Before {@link #body}. */
  void header(String name, String value);

  OutputStream body() throws IOException;

  /** True when the response can no longer be changed. */
  boolean committed();
}
