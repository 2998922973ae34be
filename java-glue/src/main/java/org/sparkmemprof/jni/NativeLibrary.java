package org.sparkmemprof.jni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.sparkmemprof.files.JarMember;
import org.sparkmemprof.files.PrivateDirectories;

/**
 * Makes the natives of {@link NativeAgent}, {@link NativeStore} and their likes usable in this JVM,
 * once.
 *
 * <p>With {@code -agentpath} they resolve without our help. Otherwise the library is copied from
 * the jar into a private directory and loaded, and the copy is removed again. Several directories
 * are tried, because a temporary directory may be read-only or mounted noexec. A failure is
 * remembered: the second caller gets the same answer, and nothing is tried twice. Thread-safe.
 */
public final class NativeLibrary {
  private static final String LIBRARY = "libsparkmemprof.so";

  /** JVM-wide: a second class loader must not load a second copy, hooks and all. */
  private static final String LOADED_PROPERTY = "org.sparkmemprof.loaded";

  private static boolean tried;
  private static String problem;

  private NativeLibrary() {}

  /**
   * @param directories where a copy may be placed, best first
   * @return null when the natives can be called; otherwise why not, in one line
   */
  public static synchronized String load(List<Path> directories) {
    if (!tried) {
      tried = true;
      try {
        problem = tryAll(directories);
      } catch (UnfitException e) {
        problem = e.getMessage();
      } catch (Throwable e) {
        problem = String.valueOf(e);
      }
    }
    return problem;
  }

  private static String tryAll(List<Path> directories) throws UnfitException {
    if (resolved() != null) {
      return checkVersion();
    }
    String owner = System.getProperty(LOADED_PROPERTY);
    if (owner != null) {
      return "another class loader of this JVM has already loaded the library (" + owner + ")";
    }
    String platform = platform();
    if (!JarMember.exists(member(platform))) {
      return "the jar holds no " + LIBRARY + " for " + platform;
    }
    StringBuilder failures = new StringBuilder();
    for (Path directory : directories) {
      String failure = loadFrom(directory, platform);
      if (failure == null) {
        System.setProperty(LOADED_PROPERTY, NativeLibrary.class.getClassLoader().toString());
        return checkVersion();
      }
      failures.append(failures.length() == 0 ? "" : "; ").append(failure);
    }
    return LIBRARY + " can't be loaded from any directory: " + failures;
  }

  private static String member(String platform) {
    return "/" + platform + "/" + LIBRARY;
  }

  private static String loadFrom(Path directory, String platform) throws UnfitException {
    Path folder = null;
    try {
      folder = Files.createTempDirectory(directory, "sparkmemprof-library-"); // 0700
      Path copy = folder.resolve(LIBRARY);
      JarMember.copy(member(platform), copy);
      String unfit = ElfImage.whyUnfit(copy, platform);
      if (unfit != null) {
        // No other directory can help.
        throw new UnfitException(platform + "/" + LIBRARY + " in the jar " + unfit);
      }
      System.load(copy.toAbsolutePath().toString());
      return null;
    } catch (UnsatisfiedLinkError | IOException | SecurityException e) {
      String message = String.valueOf(e.getMessage()).replace('\n', ' ');
      return directory + ": " + (e instanceof UnsatisfiedLinkError ? message : e.toString());
    } finally {
      PrivateDirectories.deleteTree(folder); // a loaded library stays mapped
    }
  }

  private static String resolved() {
    try {
      return NativeAgent.version();
    } catch (UnsatisfiedLinkError notYet) {
      return null;
    }
  }

  private static String checkVersion() {
    String library = resolved();
    String jar = NativeLibrary.class.getPackage().getImplementationVersion();
    if (library == null) {
      return "the library was loaded but its functions don't resolve";
    }
    if (jar != null && !jar.equals(library)) {
      return "the library is version " + library + ", the jar " + jar + ": use both of one build";
    }
    return null;
  }

  private static String platform() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch", "");
    if (machine.equals("amd64")) {
      machine = "x86_64";
    }
    return system + "-" + machine;
  }

  private static final class UnfitException extends Exception {
    private static final long serialVersionUID = 1L;

    UnfitException(String message) {
      super(message);
    }
  }
}
