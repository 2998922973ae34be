package org.sparkmemprof.listener;

import java.lang.reflect.Method;
import scala.Option;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * Reads what has another type in Scala 2.12 (Spark 3.5) and 2.13 (Spark 4): methods that return
 * {@code Seq} are called by name, and the result is used as the {@code Iterable} it is in both.
 */
public final class ScalaViews {
  private ScalaViews() {}

  /** What {@code target.method()} returns, as an iterator; empty when there is no such method. */
  static Iterator<?> elements(Object target, String method) throws ReflectiveOperationException {
    Method getter;
    try {
      getter = target.getClass().getMethod(method);
    } catch (NoSuchMethodException absent) {
      return scala.collection.Iterator$.MODULE$.empty();
    }
    return elements(getter.invoke(target));
  }

  /** The same for Java. */
  public static java.util.Iterator<?> asJava(Object target, String method)
      throws ReflectiveOperationException {
    Iterator<?> elements = elements(target, method);
    return new java.util.Iterator<Object>() {
      @Override
      public boolean hasNext() {
        return elements.hasNext();
      }

      @Override
      public Object next() {
        return elements.next();
      }
    };
  }

  static Iterator<?> elements(Object collection) {
    return ((Iterable<?>) collection).iterator();
  }

  static String orEmpty(Option<String> option) {
    return option.isDefined() ? option.get() : "";
  }

  /** A boxed number of an {@code Option[Long]}, which Java sees as {@code Option<Object>}. */
  static long orElse(Option<Object> option, long fallback) {
    return option.isDefined() ? ((Number) option.get()).longValue() : fallback;
  }
}
