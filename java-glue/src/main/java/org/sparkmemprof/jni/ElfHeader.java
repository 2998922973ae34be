package org.sparkmemprof.jni;

/** The few fields of an ELF header that tell whether a shared object fits this machine. */
final class ElfHeader {
  private static final int MACHINE_OFFSET = 18;
  private static final int EM_X86_64 = 62;
  private static final int EM_AARCH64 = 183;

  private ElfHeader() {}

  /**
   * @return null when the image is a 64-bit little-endian ELF file for {@code platform}
   */
  static String whyForeign(byte[] image, String platform) {
    boolean elf =
        image.length > 64
            && image[0] == 0x7f
            && image[1] == 'E'
            && image[2] == 'L'
            && image[3] == 'F';
    if (!elf || image[4] != 2 || image[5] != 1) {
      return "is no 64-bit ELF file";
    }
    int machine = (image[MACHINE_OFFSET] & 0xff) | (image[MACHINE_OFFSET + 1] & 0xff) << 8;
    int wanted = platform.endsWith("aarch64") ? EM_AARCH64 : EM_X86_64;
    if (machine != wanted) {
      return "is built for another machine (ELF machine " + machine + ", wanted " + wanted + ")";
    }
    return null;
  }
}
