package org.sparkmemprof.listener;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.JavaConverters;

public class ScalaViewsTest {
  /** Stands for an event whose method returns one Seq or another. */
  public static final class Event {
    public Object accumUpdates() {
      List<String> values = Arrays.asList("a", "b");
      return JavaConverters.asScalaBufferConverter(values).asScala();
    }
  }

  @Test
  public void elementsAreReadWhateverTheSeq() throws ReflectiveOperationException {
    Iterator<?> elements = ScalaViews.elements(new Event(), "accumUpdates");
    assertEquals("a", elements.next());
    assertEquals("b", elements.next());
    assertFalse(elements.hasNext());
  }

  @Test
  public void eventWithoutTheMethodHasNoElements() throws ReflectiveOperationException {
    assertFalse(ScalaViews.elements(new Event(), "nonsense").hasNext());
  }

  @Test
  public void options() {
    assertEquals("x", ScalaViews.orEmpty(Option.apply("x")));
    assertEquals("", ScalaViews.orEmpty(Option.empty()));
    assertEquals(7, ScalaViews.orElse(Option.apply((Object) 7L), 1));
    assertEquals(1, ScalaViews.orElse(Option.empty(), 1));
  }
}
