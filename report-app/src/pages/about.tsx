import type {Report, ThreadBytes} from '../model';
import {Bytes} from '../parts/figures';
import {formatBytes, formatCount} from '../units';

function Threads({title, rows}: {title: string; rows: ThreadBytes[]}) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl class="pairs">
        {rows.map(({thread, bytes}) => (
          <div>
            <dt>{thread}</dt>
            <dd>
              <Bytes value={bytes} note="from samples" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function AboutPage({report}: {report: Report}) {
  const {bounds, outsideTasks, outsideTasksOffHeap, outsideTasksNative, outsideTasksPython} = report.counterGroups;
  const python = report.sampling?.pythonIntervalBytes;
  const jvm = report.sampling?.jvmIntervalBytes;
  return (
    <>
      <section class="card">
        <h2>How it was measured</h2>
        <ul class="prose">
          <li>
            {python ? (
              <>
                <strong>Python and native code:</strong> a sample every {formatBytes(python)} on average; blocks of at least {formatBytes(4 * python)} are
                always counted.
              </>
            ) : (
              'Python and native code: no interval is known; none was sampled, or every block was counted.'
            )}
          </li>
          <li>
            {jvm ? (
              <>
                <strong>JVM heap:</strong> a sample every {formatBytes(jvm)} on average.
              </>
            ) : (
              'JVM heap: it was not sampled.'
            )}
          </li>
          <li>
            <strong>±</strong> is two standard deviations of sampling, of live at peak where that is known, else of allocated; <strong>exact</strong>: every
            block was counted. Each figure has its bytes and its error in its title.
          </li>
          <li>
            <strong>Live at peak</strong>: what a line held at the moment its task held most, the largest of any one task. <strong>Resident</strong>: how much
            of that was in memory. <strong>Left behind</strong>: what was live when a task ended. <strong>Allocated</strong>: all bytes handed out, over the
            stage’s tasks.
          </li>
          <li>
            Rows of a process are measured, each by itself; what is left of its resident memory is <strong>unattributed</strong>.
          </li>
          <li>Failed, killed, lost and superseded attempts stand apart and are never added in.</li>
          <li>A dash is a figure that was not measured, never zero.</li>
        </ul>
      </section>
      <section class="card">
        <h2>Not available</h2>
        {report.notAvailable.length === 0 ? (
          <p class="empty">Everything that this version can measure was measured.</p>
        ) : (
          <dl class="missing">
            {report.notAvailable.map((entry) => (
              <div>
                <dt>{entry.what}</dt>
                <dd>{entry.why}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      <section class="card">
        <h2>Bounds that were reached</h2>
        {bounds.length === 0 ? (
          <p class="empty">None: nothing was dropped.</p>
        ) : (
          <dl class="pairs">
            {bounds.map(({name, value}) => (
              <div>
                <dt>{name}</dt>
                <dd>{name.endsWith('Bytes') ? <Bytes value={value} /> : formatCount(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      <Threads title="JVM heap allocated outside of tasks, by thread" rows={outsideTasks} />
      <Threads title="JVM off-heap memory allocated outside of tasks, by thread" rows={outsideTasksOffHeap} />
      <Threads title="Memory that native libraries allocated in JVMs outside of tasks, by thread" rows={outsideTasksNative} />
      <Threads title="Memory that threads of no task allocated in Python workers, by the function that they run" rows={outsideTasksPython} />
    </>
  );
}
