package org.sparkmemprof.ui;

import java.lang.reflect.Method;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.sparkmemprof.plugin.Notices;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The Memory tab of a running application's UI: a link in Spark's navigation bar and one handler
 * for {@code /memory/*}. Spark puts its filters, access control among them, before the handler.
 */
public final class MemoryTab extends SparkUITab {
  private static final String PREFIX = "memory";

  private MemoryTab(SparkUI ui) {
    super(ui, PREFIX);
  }

  /**
   * Adds the tab to a UI that runs already.
   *
   * @throws ReflectiveOperationException when this Spark's UI is one we don't know; nothing was
   *     added
   */
  public static void attach(SparkUI ui, StoreFeeder feeder, Notices notices)
      throws ReflectiveOperationException {
    MemoryTab tab = new MemoryTab(ui);
    Method attachHandler = attachHandler();
    PageServer pages = new PageServer(feeder::answer, new PageFrame(tab), notices);
    // Only the class that fits this Spark's servlet API can be loaded.
    boolean jakarta = attachHandler.getParameterTypes()[1].getName().startsWith("jakarta.");
    Object servlet = jakarta ? new JakartaServlet(pages) : new JavaxServlet(pages);
    attachHandler.invoke(ui, "/" + PREFIX, servlet, "/*");
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
