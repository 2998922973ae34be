package org.sparkmemprof.ui;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.apache.spark.ui.SparkUITab;
import scala.Function0;
import scala.Option;
import scala.xml.Comment;

/**
 * Spark's own page around ours: its navigation bar, title and styles. Made by {@code
 * UIUtils.headerSparkPage}, whose parameters differ between Spark's versions in number and in the
 * servlet API's package. So it is called by its declared types. Thread-safe.
 */
final class PageFrame {
  private static final String TITLE = "Memory";

  /** Marks the place of our page. No text of a user gets into a page with unescaped brackets. */
  private static final Comment HERE = new Comment("sparkmemprof");

  private final SparkUITab tab;
  private final Method headerSparkPage;

  /**
   * @throws NoSuchMethodException when this Spark makes its pages in another way
   */
  PageFrame(SparkUITab tab) throws ReflectiveOperationException {
    this.tab = tab;
    headerSparkPage = find();
  }

  private static Method find() throws ReflectiveOperationException {
    for (Method method : Class.forName("org.apache.spark.ui.UIUtils").getMethods()) {
      if (method.getName().equals("headerSparkPage")) {
        return method;
      }
    }
    throw new NoSuchMethodException("org.apache.spark.ui.UIUtils.headerSparkPage");
  }

  /** The parts of Spark's page before and after ours. */
  Halves around(Object request) throws ReflectiveOperationException {
    Function0<Object> content = () -> HERE;
    Class<?>[] types = headerSparkPage.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = argument(types[i], request, content);
    }
    String page = "<!DOCTYPE html>" + headerSparkPage.invoke(null, arguments);
    String here = HERE.toString();
    int split = page.indexOf(here);
    if (split < 0) {
      throw new IllegalStateException("Spark's page has no place for ours");
    }
    return new Halves(page.substring(0, split), page.substring(split + here.length()));
  }

  private Object argument(Class<?> type, Object request, Object content) {
    if (type.isInstance(request)) {
      return request;
    }
    if (type == String.class) {
      return TITLE;
    }
    if (type == Function0.class) {
      return content;
    }
    if (type.isInstance(tab)) {
      return tab;
    }
    if (type == Option.class) {
      return Option.empty();
    }
    if (type == boolean.class) {
      return false; // charts and tables that this page doesn't use
    }
    throw new IllegalStateException("Spark's page wants an unknown " + type.getName());
  }

  /** UTF-8. */
  static final class Halves {
    static final Halves NONE = new Halves("", "");

    final byte[] before;
    final byte[] after;

    Halves(String before, String after) {
      this.before = before.getBytes(StandardCharsets.UTF_8);
      this.after = after.getBytes(StandardCharsets.UTF_8);
    }
  }
}
