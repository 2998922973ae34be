// UDFs and lines: where the user's code holds memory, over all stages.
import {useMemo, useState} from 'preact/hooks';
import {jvmSitesOf, linesOf} from '../digest';
import {useEnding, type Ending} from '../ending';
import type {Leak, Report} from '../model';
import {UdfName} from '../parts/frames';
import {LineTable} from '../parts/linetable';
import {SiteTable} from '../parts/sitetable';
import {stageKey, udfTitle} from '../titles';
import {plural} from '../units';

const EMPTY: Record<Ending, string> = {
  running: 'No task with Python code has ended yet: lines come with the profiles of ended tasks.',
  cut: 'No task with Python code had ended when this was written: lines come with the profiles of ended tasks.',
  whole: 'No task ran Python code that was profiled. A job without Python UDFs has its memory in the JVM: see its call sites.',
};

function Leaks({leaks}: {leaks: Leak[]}) {
  if (leaks.length === 0) return null;
  return (
    <section class="card">
      <h2>{plural(leaks.length, 'line leaves', 'lines leave')} more behind with every task</h2>
      <ul class="leaks">
        {leaks.map((leak) => (
          <li>
            <p class="code">
              <strong>{leak.place}</strong> {leak.function}
            </p>
            <p>{leak.phrase}</p>
            <p class="of">
              <UdfName udf={leak} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

// More would be a list that nobody can read; the filter finds them as well.
const UDFS_TO_CHOOSE_FROM = 200;

export function LinesPage({report}: {report: Report}) {
  const ending = useEnding(report);
  const [udf, setUdf] = useState('');
  const [jvm, setJvm] = useState(false);
  const lines = useMemo(() => linesOf(report), [report]);
  const udfs = useMemo(() => {
    const titles = new Set(lines.map(({line}) => udfTitle(line)));
    return titles.size <= UDFS_TO_CHOOSE_FROM ? [...titles].sort() : [];
  }, [lines]);
  const shown = useMemo(() => (udf === '' ? lines : lines.filter(({line}) => udfTitle(line) === udf)), [lines, udf]);
  const sites = useMemo(
    () => (jvm ? jvmSitesOf(report.stages).map(({site, stage}, index) => ({key: String(index), site, stage: stageKey(stage)})) : []),
    [report, jvm],
  );
  return (
    <>
      <Leaks leaks={report.leaks ?? []} />
      <div class="tools">
        <fieldset class="switch">
          <legend class="unseen">What to list</legend>
          <label>
            <input type="radio" name="origin" checked={!jvm} onChange={() => setJvm(false)} /> <span>Python lines</span>
          </label>
          <label>
            <input type="radio" name="origin" checked={jvm} onChange={() => setJvm(true)} /> <span>JVM call sites</span>
          </label>
        </fieldset>
        {!jvm && udfs.length > 1 && (
          <label>
            UDF{' '}
            <select aria-label="UDF" value={udf} onChange={(event) => setUdf(event.currentTarget.value)}>
              <option value="">all</option>
              {udfs.map((title) => (
                <option value={title}>{title}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {jvm ? (
        <SiteTable label="JVM call sites" rows={sites} by="allocated" withStage empty="No call site of the JVM was seen; About the numbers says why." />
      ) : (
        <LineTable label="Python lines" lines={shown} report={report} withStage empty={EMPTY[ending]} />
      )}
      <p class="note">
        Live at peak: what the line held when its task held most, the largest of any one task. Resident: how much of that was in memory. Left behind: live when
        a task ended. Allocated: all bytes handed out, over the stage’s tasks.
      </p>
    </>
  );
}
