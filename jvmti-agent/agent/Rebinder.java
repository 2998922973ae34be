package org.sparkmemprof.agent;

/**
 * Defined in the boot loader by agent/jdk_natives.cc when the agent comes into a running JVM:
 * natives of the JDK may only be registered from a class of the boot loader without the JVM's
 * warning. The JVM looks at the caller's caller, hence two steps.
 */
final class Rebinder {
  private Rebinder() {}

  static void run() {
    rebind();
  }

  private static native void rebind();
}
