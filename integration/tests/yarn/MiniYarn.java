import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * A ResourceManager and a NodeManager in this process, until its standard input ends.
 *
 * <p>Arguments: the folder that gets yarn-site.xml, whose settings stand before ours, and the
 * mebibytes of the node and of the largest container that it grants.
 */
public final class MiniYarn {
  private MiniYarn() {}

  public static void main(String[] arguments) throws Exception {
    File folder = new File(arguments[0]);
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("fs.defaultFS", "file:///");
    conf.set(
        "yarn.resourcemanager.scheduler.class",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler");
    conf.set("yarn.minicluster.yarn.nodemanager.resource.memory-mb", arguments[1]);
    conf.set("yarn.scheduler.minimum-allocation-mb", "64");
    conf.set("yarn.scheduler.maximum-allocation-mb", arguments[2]);
    // MiniYARNCluster switches the NodeManager's watch over its containers off unless told
    // otherwise.
    conf.set("yarn.minicluster.control-resource-monitoring", "true");
    conf.set("yarn.nodemanager.pmem-check-enabled", "true");
    conf.set(
        "yarn.nodemanager.resource.memory.enforced", "false"); // by the monitor, not by cgroups
    conf.set("yarn.nodemanager.vmem-check-enabled", "false");
    conf.set("yarn.nodemanager.container-monitor.interval-ms", "300");
    conf.set(
        "yarn.nodemanager.container-monitor.process-tree.class",
        "org.apache.hadoop.yarn.util.ProcfsBasedProcessTree");
    conf.set("yarn.nodemanager.disk-health-checker.enable", "false");
    try (MiniYARNCluster cluster = new MiniYARNCluster("yarn", 1, 1, 1)) {
      cluster.init(conf);
      cluster.start();
      try (OutputStream out = new FileOutputStream(new File(folder, "yarn-site.xml"))) {
        cluster.getConfig().writeXml(out);
      }
      System.out.println("MiniYarn is ready");
      while (System.in.read() >= 0) {}
    }
  }
}
