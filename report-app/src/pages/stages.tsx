import {useMemo} from 'preact/hooks';
import {ORIGIN_TITLES, totalOf} from '../digest';
import {useEnding, type Ending} from '../ending';
import type {Report, SiteGroup, Stage, Sum} from '../model';
import {Share} from '../parts/bar';
import {ColumnChart} from '../parts/chart';
import {Bytes, TimeInCollections} from '../parts/figures';
import {LineTable} from '../parts/linetable';
import {Operators} from '../parts/operators';
import {RunBy} from '../parts/runby';
import {SiteTable} from '../parts/sitetable';
import {StageSparkMemory} from '../parts/sparkmemory';
import {DataTable, type Column} from '../parts/table';
import {Distributions, Tasks} from '../parts/tasks';
import {UdfShares} from '../parts/udfs';
import {link} from '../route';
import type {Theme} from '../theme';
import {isDriversPython, stageKey, stageTitle} from '../titles';
import {formatBytes, formatCount, formatDuration, formatPercent, formatTime, plural} from '../units';

const EMPTY: Record<Ending, string> = {
  running: 'No stage has started yet. They show up as the application runs its first job.',
  cut: 'No stage had started when this was written.',
  whole: 'No stage ran while sparkmemprof was on.',
};

const ESTIMATE = 'from samples';
const GC_NOTE = 'of its tasks’ time, their JVMs stood still for collectors';

function live(stage: Stage): number | null {
  return totalOf(stage, 'python')?.liveAtPeakBytes ?? null;
}

function duration(stage: Stage): number | null {
  return stage.submittedMs != null && stage.completedMs != null ? stage.completedMs - stage.submittedMs : null;
}

function Status({stage}: {stage: Stage}) {
  return <span class={`status ${stage.status ?? 'unknown'}`}>{stage.status ?? 'unknown'}</span>;
}

function columnsOf(whole: number): Column<Stage>[] {
  return [
    {
      id: 'stage',
      title: 'Stage',
      look: 'main',
      value: (stage) => stage.stageId + stage.attempt / 1000,
      cell: (stage) => (
        <>
          <a class="strong" href={link('stages', stageKey(stage))}>
            {stageTitle(stage)}
          </a>{' '}
          {stage.status !== 'complete' && <Status stage={stage} />}
          <div class="code">{stage.title}</div>
          {stage.otherAttempts.tasks > 0 && <div class="warm small">Not counted: {stage.otherAttempts.phrase}</div>}
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: (stage) => <Share bytes={live(stage)} whole={whole} look="python" label={`live at peak ${formatBytes(live(stage) ?? 0)}`} />,
    },
    {
      id: 'live',
      title: 'Python live at peak',
      look: 'number',
      value: live,
      cell: (stage) => <Bytes value={live(stage)} note={`what one task held, ${ESTIMATE}`} />,
    },
    {
      id: 'python',
      title: 'Python allocated',
      look: 'number',
      value: (stage) => totalOf(stage, 'python')?.allocatedBytes,
      cell: (stage) => <Bytes value={totalOf(stage, 'python')?.allocatedBytes} note={ESTIMATE} />,
    },
    {
      id: 'heap',
      title: 'Heap allocated',
      look: 'number',
      value: (stage) => totalOf(stage, 'jvm-heap')?.allocatedBytes,
      cell: (stage) => <Bytes value={totalOf(stage, 'jvm-heap')?.allocatedBytes} note={ESTIMATE} />,
    },
    {id: 'tasks', title: 'Tasks', look: 'number', value: (stage) => stage.tasks, cell: (stage) => formatCount(stage.tasks)},
    {
      id: 'duration',
      title: 'Duration',
      look: 'number',
      value: duration,
      cell: (stage) => (
        <>
          {duration(stage) === null ? <span class="none">–</span> : formatDuration(duration(stage) ?? 0)}
          <TimeInCollections percent={stage.gcPercent} note={GC_NOTE} />
        </>
      ),
    },
  ];
}

const COLUMNS_WORTH_A_CHART = 3;

export function StagesPage({report, theme}: {report: Report; theme: Theme}) {
  const ending = useEnding(report);
  const stages = useMemo(() => report.stages.filter((stage) => !isDriversPython(stage)), [report]);
  const whole = useMemo(() => stages.reduce((most, stage) => Math.max(most, live(stage) ?? 0), 0), [stages]);
  const columns = useMemo(() => columnsOf(whole), [whole]);
  const points = useMemo(() => stages.map((stage) => ({title: stageTitle(stage), bytes: live(stage), href: link('stages', stageKey(stage))})), [stages]);
  const other = report.otherStages;
  return (
    <>
      {points.filter((point) => point.bytes !== null).length >= COLUMNS_WORTH_A_CHART && (
        <ColumnChart label="What one task’s Python held at its peak, stage by stage." points={points} theme={theme} />
      )}
      <DataTable
        label="stages"
        rows={stages}
        columns={columns}
        rowKey={stageKey}
        sortBy="live"
        words={(stage) => `${stageTitle(stage)} ${stage.name} ${stage.title} ${stage.status} ${stage.callSite}`}
        filterHint="Filter by stage, UDF, status or call site"
        empty={EMPTY[ending]}
      />
      {other && (
        <div class="note">
          <p>
            Lighter stages without a row: {formatCount(other.stages)}, with {plural(other.tasks, 'task')}.
          </p>
          <Totals sums={other.totals} />
        </div>
      )}
    </>
  );
}

const POOL_NOTE = 'by pyarrow’s own counter, the largest of any one task';

function ArrowPool({group}: {group: SiteGroup}) {
  if (!group.arrowPoolPeakBytes && !group.arrowPoolEndBytes) return null;
  return (
    <div>
      <dt>Arrow’s memory pool</dt>
      <dd>
        <Bytes value={group.arrowPoolPeakBytes} note={POOL_NOTE} /> at a task’s peak, <Bytes value={group.arrowPoolEndBytes} note={POOL_NOTE} /> at a task’s end
      </dd>
    </div>
  );
}

function Totals({sums, group}: {sums: Sum[]; group?: SiteGroup}) {
  if (sums.length === 0) return null;
  return (
    <dl class="totals">
      {sums.map((sum) => (
        <div>
          <dt>{ORIGIN_TITLES[sum.origin] ?? sum.origin}</dt>
          <dd>
            <Bytes value={sum.allocatedBytes} note={ESTIMATE} /> allocated
            {sum.liveAtPeakBytes !== null && (
              <>
                , <Bytes value={sum.liveAtPeakBytes} note={ESTIMATE} /> live at peak
              </>
            )}
          </dd>
        </div>
      ))}
      {group && <ArrowPool group={group} />}
    </dl>
  );
}

function Remainders({group}: {group: SiteGroup}) {
  const rest = (group.remainders ?? []).filter((sum) => sum.sites > 0);
  if (rest.length === 0) return null;
  return (
    <p class="note">
      Too light for a row:{' '}
      {rest.map((sum) => `${plural(sum.sites, 'site')} of ${ORIGIN_TITLES[sum.origin] ?? sum.origin}, ${formatBytes(sum.allocatedBytes)} allocated`).join('; ')}
      .
    </p>
  );
}

function Group({stage, group, name}: {stage: Stage; group: SiteGroup; name: string}) {
  const lines = useMemo(() => (group.lines ?? []).map((line) => ({line, stage, group})), [group]);
  const sites = useMemo(() => {
    const rows = group.sites.map((site, index) => ({key: String(index), site, stage: null}));
    return {
      heap: rows.filter(({site}) => site.origin === 'jvm-heap'),
      offHeap: rows.filter(({site}) => site.origin === 'jvm-offheap' || site.origin === 'jvm-native'),
    };
  }, [group]);
  return (
    <>
      <Totals sums={group.totals ?? []} group={group} />
      <UdfShares udfs={group.udfs ?? []} name={name} />
      {lines.length > 0 && (
        <>
          <h3>Python lines</h3>
          <LineTable label={`Python lines of ${name}`} lines={lines} withStage={false} empty="" pageSize={8} />
        </>
      )}
      <Operators operators={group.operators ?? []} name={name} />
      {sites.heap.length > 0 && (
        <>
          <h3>JVM heap, by call site</h3>
          <SiteTable label={`JVM heap of ${name}`} rows={sites.heap} by="allocated" withStage={false} empty="" />
        </>
      )}
      {sites.offHeap.length > 0 && (
        <>
          <h3>JVM off-heap and native libraries, by call site</h3>
          <SiteTable label={`JVM off-heap and native libraries of ${name}`} rows={sites.offHeap} by="live" withStage={false} empty="" />
        </>
      )}
      <Remainders group={group} />
    </>
  );
}

export function StagePage({report, id}: {report: Report; id: string}) {
  const stage = report.stages.find((each) => stageKey(each) === id);
  if (!stage) {
    return (
      <p class="empty">
        The report has no row for stage {id}. <a href={link('stages')}>All stages</a>
      </p>
    );
  }
  const other = stage.otherAttempts;
  const facts = [
    (isDriversPython(stage) ? plural(stage.tasks, 'process', 'processes') : plural(stage.tasks, 'task')) +
      (stage.partitions != null ? ` of ${plural(stage.partitions, 'partition')}` : ''),
    stage.profiledTasks != null && stage.profiledTasks !== stage.tasks ? `${formatCount(stage.profiledTasks)} with a profile` : null,
    stage.partialTasks ? `${formatCount(stage.partialTasks)} read before their worker had closed its session` : null,
    stage.submittedMs != null ? formatTime(stage.submittedMs) : null,
    duration(stage) !== null ? formatDuration(duration(stage) ?? 0) : null,
    stage.gcPercent != null ? `${formatPercent(stage.gcPercent, 100)} of its tasks’ time in collections` : null,
  ].filter(Boolean);
  const empty = stage.sites.length === 0 && (stage.lines ?? []).length === 0;
  return (
    <>
      <p class="facts">
        <span>
          <Status stage={stage} />
        </span>
        {facts.map((fact) => (
          <span>{fact}</span>
        ))}
        {!empty && (
          <span>
            <a href={link('flame', undefined, {stage: id})}>Its flame graph</a>
          </span>
        )}
      </p>
      <p class="code soft">{stage.name}</p>
      <p>
        <RunBy report={report} stageId={stage.stageId} />
      </p>
      {stage.failureReason && <p class="removed">{stage.failureReason}</p>}
      <section class="card">
        <h2>{isDriversPython(stage) ? 'All its processes, from their first line to their last' : 'Counted: the successful attempt of each partition'}</h2>
        {empty ? (
          <p class="empty">
            {stage.status === 'running'
              ? 'No task of this stage has ended yet: their profiles come as they end.'
              : 'No profile of a successful task arrived. What other attempts did is below; About the numbers says what was not measured.'}
          </p>
        ) : (
          <Group stage={stage} group={stage} name={stageTitle(stage)} />
        )}
        {stage.sparkMemory && <StageSparkMemory memory={stage.sparkMemory} />}
      </section>
      {stage.tasks > 0 && stage.taskRows && stage.taskRows.known > 0 && !isDriversPython(stage) && (
        <section class="card">
          <h2>Its tasks</h2>
          <Distributions distributions={stage.distributions ?? []} />
          <Tasks stage={stage} rows={stage.taskRows} counted name={stageTitle(stage)} />
        </section>
      )}
      {other.tasks > 0 && (
        <section class="card apart">
          <h2>Other attempts, never added in: {stage.otherAttempts.phrase}</h2>
          {(other.errors ?? []).length > 0 && (
            <ul class="errors">
              {(other.errors ?? []).map((error) => (
                <li>
                  <code>{error.message}</code> <span class="soft">{plural(error.tasks, 'task')}</span>
                </li>
              ))}
              {other.otherErrorTasks && (
                <li>
                  other errors <span class="soft">{plural(other.otherErrorTasks, 'task')}</span>
                </li>
              )}
            </ul>
          )}
          <Group stage={stage} group={other} name="other attempts" />
          {stage.taskRows && <Tasks stage={stage} rows={stage.taskRows} counted={false} name="other attempts" />}
        </section>
      )}
      {stage.callSite && (
        <details>
          <summary>Where Spark started it</summary>
          <pre class="code" tabIndex={0}>
            {stage.callSite}
          </pre>
        </details>
      )}
    </>
  );
}
