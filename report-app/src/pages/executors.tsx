import {useMemo} from 'preact/hooks';
import {executorsByUse, useOf} from '../digest';
import {useEnding, type Ending} from '../ending';
import type {Baseline, Executor, Process, Report, Row} from '../model';
import {Bar} from '../parts/bar';
import {ContainerBars, ContainerLegend, Use, processParts, scaleOf} from '../parts/container';
import {Storage} from '../parts/cached';
import {Bytes, TimeInCollections} from '../parts/figures';
import {RegionTable} from '../parts/regions';
import {SparkPools} from '../parts/sparkmemory';
import {NearlyFullHeap} from '../parts/fullheap';
import {Collectors, HeapAfterGc, HeldByNoTask, RetainedHeap} from '../parts/retained';
import {DataTable, type Column} from '../parts/table';
import {LifeChart} from '../parts/timeline';
import {link} from '../route';
import type {Theme} from '../theme';
import {executorTitle, processTitle} from '../titles';
import {formatBytes, formatCount, formatDuration, formatPercent, formatTime, plural} from '../units';

const EMPTY: Record<Ending, string> = {
  running: 'No executor was seen so far. They show up some seconds after they start.',
  cut: 'No executor had been seen when this was written.',
  whole: 'No executor was seen: the driver’s log says why.',
};

function peakOf(executor: Executor, region: string): number | null {
  return executor.regions.find((each) => each.name === region)?.peakBytes ?? null;
}

function besideJvmPeak(executor: Executor): number | null {
  return peakOf(executor, 'pyspark') ?? peakOf(executor, 'overhead');
}

function columnsOf(whole: number): Column<Executor>[] {
  return [
    {
      id: 'executor',
      title: 'Executor',
      look: 'main',
      value: (executor) => executor.id,
      cell: (executor) => (
        <>
          <a class="strong" href={link('executors', executor.id)}>
            {executorTitle(executor.id)}
          </a>
          <div class="soft">{executor.host}</div>
          {executor.removedReason && <div class="removed">Removed: {executor.removedReason}</div>}
        </>
      ),
    },
    {
      id: 'graph',
      title: 'In use at the peak',
      look: 'graph',
      cell: (executor) =>
        executor.atPeak && (
          <Bar
            parts={processParts(executor.atPeak.processes, executor.atPeak.usedBytes)}
            whole={whole}
            mark={executor.limitBytes}
            size="tall"
            label="In use at the peak"
          />
        ),
    },
    {
      id: 'share',
      title: 'Of its limit',
      look: 'number',
      value: (executor) => (useOf(executor) < 0 ? null : useOf(executor)),
      cell: (executor) => (useOf(executor) < 0 ? <Bytes value={null} /> : <span class={`percent ${executor.tone}`}>{formatPercent(useOf(executor), 1)}</span>),
    },
    {
      id: 'peak',
      title: 'Peak',
      look: 'number',
      value: (executor) => executor.atPeak?.usedBytes,
      cell: (executor) => <Bytes value={executor.atPeak?.usedBytes} />,
    },
    {
      id: 'limit',
      title: 'Limit',
      look: 'number',
      value: (executor) => executor.limitBytes,
      cell: (executor) => <Bytes value={executor.limitBytes} note={executor.limitPhrase} />,
    },
    {
      id: 'heap',
      title: 'Heap after collections, peak',
      look: 'number',
      value: (executor) => executor.heapAfterGcPeak?.bytes,
      cell: (executor) => (
        <>
          <Bytes value={executor.heapAfterGcPeak?.bytes} note={executor.heapAfterGcPeak?.collection} />
          <TimeInCollections percent={executor.gcPercent} note="of its time, its JVM stood still for collectors" />
        </>
      ),
    },
    {
      id: 'python',
      title: 'Beside the JVM, at the peak',
      look: 'number',
      value: besideJvmPeak,
      cell: (executor) => <Bytes value={besideJvmPeak(executor)} note="Python’s processes and other programs, together" />,
    },
  ];
}

export function ExecutorsPage({report}: {report: Report}) {
  const ending = useEnding(report);
  const executors = useMemo(() => executorsByUse(report), [report]);
  const columns = useMemo(() => columnsOf(scaleOf(executors)), [executors]);
  const other = report.otherExecutors;
  return (
    <>
      <DataTable
        label="executors"
        rows={executors}
        columns={columns}
        rowKey={(executor) => executor.id}
        sortBy="share"
        words={(executor) => `${executorTitle(executor.id)} ${executor.host} ${executor.removedReason ?? ''}`}
        filterHint="Filter by id, host or reason"
        empty={EMPTY[ending]}
      />
      {other && (
        <p class="note">
          Executors without a row: {formatCount(other.executors)}
          {other.largestUsedBytes !== null && `, which used ${formatBytes(other.largestUsedBytes)} at most`}.
        </p>
      )}
      <Storage report={report} />
    </>
  );
}

const ROWS_SHOWN = 10;

// The first rows (the largest ones, if there are many), and the rest as one row.
function rowsShown(rows: Row[]): Row[] {
  const present = rows.filter((row) => row.bytes > 0);
  if (present.length <= ROWS_SHOWN) return present;
  const rest = present.slice(ROWS_SHOWN);
  return [...present.slice(0, ROWS_SHOWN), {name: `${rest.length} other rows`, bytes: rest.reduce((all, row) => all + row.bytes, 0)}];
}

function ProcessItem({process, whole}: {process: Process; whole: number}) {
  const rows = rowsShown(process.peakRows);
  const parts = rows.map((row, index) => ({bytes: row.bytes, look: `row${index % 6}`, title: `${row.name} ${formatBytes(row.bytes)}`}));
  const rest = process.peakRssBytes - parts.reduce((all, part) => all + part.bytes, 0);
  if (rest > 0) parts.push({bytes: rest, look: 'other', title: `unattributed ${formatBytes(process.unattributedBytes)}`});
  return (
    <div class="process">
      <p>
        <strong>{processTitle(process)}</strong> <span class="soft">{process.pid}</span>{' '}
        <span class="right">
          <Bytes value={process.peakRssBytes} note="resident, as the kernel counts it" />
        </span>
      </p>
      <Bar parts={parts} whole={whole} label={`${processTitle(process)} ${process.pid}`} size="budget" />
      <p class="keys">
        {rows.map((row, index) => (
          <span class="key">
            <i class={`dot row${index % 6}`} />
            {row.name} <Bytes value={row.bytes} />
          </span>
        ))}
        <span class="key">
          <i class="dot other" />
          unattributed <Bytes value={process.unattributedBytes} />
        </span>
      </p>
      {process.peakRowsRssBytes != null && (
        <p class="note">
          Rows measured at <Bytes value={process.peakRowsRssBytes} /> resident.
        </p>
      )}
      {process.baseline && <BaselineOf baseline={process.baseline} />}
    </div>
  );
}

const MODULES_SHOWN = 12;

function BaselineOf({baseline}: {baseline: Baseline}) {
  return (
    <details>
      <summary>
        Before its tasks: <Bytes value={baseline.startRssBytes} note="resident when profiling began" /> at its start,{' '}
        <Bytes value={baseline.firstTaskRssBytes} note="resident when the code of its first task began" /> when its first task began
      </summary>
      <dl class="pairs">
        {baseline.modules.slice(0, MODULES_SHOWN).map((module) => (
          <div>
            <dt>import {module.name}</dt>
            <dd>
              <Bytes value={module.liveBytes} note="by its own code, still live" />{' '}
              <span class="soft">
                (<Bytes value={module.withImportsBytes} note="with what it imported in turn" /> with its imports)
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {baseline.modules.length > MODULES_SHOWN && <p class="note">{plural(baseline.modules.length - MODULES_SHOWN, 'more module')} in report.json.</p>}
    </details>
  );
}

const PROCESSES_SHOWN = 40;

export function ExecutorPage({report, id, theme}: {report: Report; id: string; theme: Theme}) {
  const executor = report.executors.find((each) => each.id === id);
  if (!executor) {
    return (
      <p class="empty">
        {executorTitle(id)} has no row in the report. <a href={link('executors')}>All executors</a>
      </p>
    );
  }
  const deaths = report.postMortems.filter((death) => death.executorId === id);
  const whole = Math.max(1, ...executor.processes.map((process) => process.peakRssBytes));
  const facts = [
    executor.host,
    executor.cores ? plural(executor.cores, 'core') : null,
    executor.javaVersion ? `Java ${executor.javaVersion}` : null,
    executor.addedMs ? `from ${formatTime(executor.addedMs)}` : null,
    executor.removedMs ? `to ${formatTime(executor.removedMs)}` : null,
  ].filter(Boolean);
  return (
    <>
      <p class="facts">
        {facts.map((fact) => (
          <span>{fact}</span>
        ))}
      </p>
      {executor.removedReason && <p class="removed">Removed: {executor.removedReason}</p>}
      {deaths.map((death) => (
        <p>
          <a href={link('deaths')}>{death.headline}</a>
        </p>
      ))}
      <div class="card">
        <p>
          <Use executor={executor} />
          {executor.atPeak && <span class="soft">, {formatTime(executor.atPeak.timeMs)}</span>}
        </p>
        <ContainerBars executor={executor} whole={scaleOf([executor])} />
        <ContainerLegend />
      </div>
      <LifeChart report={report} executor={executor} theme={theme} />
      <div class="columns">
        <section class="card">
          <h2>Budget by region</h2>
          <RegionTable
            rows={executor.regions.flatMap((region) => {
              const row = {name: region.name, bytes: region.peakBytes, budgetBytes: region.budgetBytes};
              return region.name === 'heap.storage'
                ? [row, {name: 'of storage, unrolling', bytes: executor.unrollPeakBytes ?? null, budgetBytes: null}]
                : [row];
            })}
            measured="Peak"
            enforced={executor.limitEnforced}
          />
          <p class="note">
            {executor.requestedBytes !== null && `Requested in all: ${formatBytes(executor.requestedBytes)}. `}
            {executor.swap != null && executor.swap.peakBytes > 0 && `In swap at the most, and in no figure here: ${formatBytes(executor.swap.peakBytes)}. `}
            {executor.directPeakBytes != null && `Through Unsafe (direct buffers, off-heap): ${formatBytes(executor.directPeakBytes)} at the peak.`}
          </p>
          <HeapAfterGc executor={executor} />
          <SparkPools pools={executor.sparkMemory ?? []} />
          {executor.atPeak && executor.atPeak.regions.length > 0 && (
            <>
              <h3>At the peak</h3>
              <dl class="pairs">
                {executor.atPeak.regions.map((row) => (
                  <div>
                    <dt>{row.name}</dt>
                    <dd>
                      <Bytes value={row.bytes} />
                    </dd>
                  </div>
                ))}
                {executor.atPeak.sharedBytes != null && (
                  <div>
                    <dt>shared by processes</dt>
                    <dd>
                      <Bytes value={executor.atPeak.sharedBytes} note={`as read ${formatDuration(executor.atPeak.sharedAgeMs ?? 0)} before`} />
                    </dd>
                  </div>
                )}
              </dl>
            </>
          )}
        </section>
        <section class="card">
          <h2>Processes, each at its own peak</h2>
          {executor.processes.length === 0 && <p class="empty">None was measured; About the numbers says why.</p>}
          {executor.processes.slice(0, PROCESSES_SHOWN).map((process) => (
            <ProcessItem process={process} whole={whole} />
          ))}
          {executor.processes.length > PROCESSES_SHOWN && (
            <p class="note">{plural(executor.processes.length - PROCESSES_SHOWN, 'smaller process', 'smaller processes')} in report.json.</p>
          )}
        </section>
      </div>
      <RetainedHeap retained={executor.retained} />
      <HeldByNoTask title="Off-heap memory of no running task" held={executor.offHeapOfNoTask} />
      <HeldByNoTask title="Memory of JNI libraries of no running task" held={executor.nativeOfNoTask} />
      <NearlyFullHeap heap={executor.nearlyFullHeap} />
      <Collectors executor={executor} />
    </>
  );
}
