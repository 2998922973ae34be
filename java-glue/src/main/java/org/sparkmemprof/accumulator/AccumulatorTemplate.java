package org.sparkmemprof.accumulator;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.Base64;

/**
 * The registered, empty accumulator as text. Executors get it in the plugin's configuration (some
 * 600 bytes), and each task makes its own copy from it.
 */
public final class AccumulatorTemplate {
  private final byte[] serialised;

  private AccumulatorTemplate(byte[] serialised) {
    this.serialised = serialised;
  }

  /**
   * Driver: the text of a registered accumulator.
   *
   * @throws IOException when Java can't serialise it
   */
  public static String encode(ProfileAccumulator registered) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(registered);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /**
   * @throws IllegalArgumentException when the text isn't Base64
   */
  public static AccumulatorTemplate decode(String text) {
    return new AccumulatorTemplate(Base64.getDecoder().decode(text));
  }

  /**
   * Executor: a copy for one task. To be called on the task's thread, because an accumulator
   * attaches itself to the {@code TaskContext} of the thread that deserialises it.
   */
  public ProfileAccumulator copyForThisTask() throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new PluginObjectInputStream(new ByteArrayInputStream(serialised))) {
      return (ProfileAccumulator) in.readObject();
    }
  }

  /** Resolves classes with the plugin's own loader: a task's context loader may not know them. */
  private static final class PluginObjectInputStream extends ObjectInputStream {
    PluginObjectInputStream(InputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(
            description.getName(), false, ProfileAccumulator.class.getClassLoader());
      } catch (ClassNotFoundException unknown) {
        return super.resolveClass(description);
      }
    }
  }
}
