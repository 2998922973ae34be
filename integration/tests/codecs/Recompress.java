import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;

/** FILE FOLDER CODEC...: writes FILE as Spark's codecs would, to FOLDER/FILE.CODEC. */
public final class Recompress {
  public static void main(String[] words) throws Exception {
    Path file = Paths.get(words[0]);
    byte[] text = Files.readAllBytes(file);
    for (int i = 2; i < words.length; i++) {
      Path packed = Paths.get(words[1], file.getFileName() + "." + words[i]);
      CompressionCodec codec = CompressionCodec.createCodec(new SparkConf(false), words[i]);
      try (OutputStream out = codec.compressedOutputStream(Files.newOutputStream(packed))) {
        out.write(text);
      }
    }
  }
}
