package org.sparkmemprof.ui;

import java.lang.reflect.Method;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.sparkmemprof.notices.Notices;

/**
 * The Memory tab of an application's UI, while it runs or in the History Server: a link in Spark's
 * navigation bar and one handler for {@code /memory/*}. Spark puts its filters, including access
 * control, before the handler.
 */
public final class MemoryTab extends SparkUITab {
  private static final String PREFIX = "memory";

  private MemoryTab(SparkUI ui) {
    super(ui, PREFIX);
  }

  /**
   * Adds the tab to a UI, which may be running already.
   *
   * @param patience factor on the time that a reader waits for others, for a busy machine
   * @throws ReflectiveOperationException when this Spark's UI is one we don't know; nothing was
   *     added
   */
  public static void attach(SparkUI ui, Answers answers, int patience, Notices notices)
      throws ReflectiveOperationException {
    MemoryTab tab = new MemoryTab(ui);
    Method attachHandler = attachHandler();
    PageServer pages = new PageServer(answers, new PageFrame(tab), notices, new Places(patience));
    // Only the class that fits this Spark's servlet API can be loaded.
    boolean jakarta = attachHandler.getParameterTypes()[1].getName().startsWith("jakarta.");
    Object servlet = jakarta ? new JakartaServlet(pages) : new JavaxServlet(pages);
    attachHandler.invoke(ui, ui.basePath() + "/" + PREFIX, servlet, "/*");
    ui.attachTab(tab);
  }

  /** {@code attachHandler(String contextPath, HttpServlet servlet, String pathSpec)}. */
  private static Method attachHandler() throws NoSuchMethodException {
    for (Method method : SparkUI.class.getMethods()) {
      if (method.getName().equals("attachHandler") && method.getParameterCount() == 3) {
        return method;
      }
    }
    throw new NoSuchMethodException("org.apache.spark.ui.SparkUI.attachHandler");
  }
}
