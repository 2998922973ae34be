// A stage's tasks: how their figures are distributed, and each by itself.
import {useMemo} from 'preact/hooks';
import type {Distribution, Stage, TaskFigure, TaskRows, TaskStatus} from '../model';
import {link} from '../route';
import {executorTitle} from '../titles';
import {formatBytes, formatCount, formatDuration, formatPercent, formatTime, plural} from '../units';
import {Share} from './bar';
import {Bytes} from './figures';
import {DataTable, type Column} from './table';

const FIGURES: [figure: TaskFigure, title: string, note: string][] = [
  ['pythonLiveAtPeakBytes', 'Python live at peak', 'from samples'],
  ['pythonKeptBytes', 'Python kept', 'of live at peak, what was live at the task’s end, too'],
  ['pythonAllocatedBytes', 'Python allocated', 'from samples'],
  ['heapAllocatedBytes', 'Heap allocated', 'from samples'],
  ['heapOfBroadcastsBytes', 'Heap for broadcasts', 'of heap allocated, broadcast variables that it was the first to read in its executor'],
  ['offHeapLiveAtPeakBytes', 'Off-heap live at peak', 'of Unsafe and of native libraries, large blocks counted and small ones sampled'],
  ['peakExecutionBytes', 'Execution memory', 'Spark’s own metric, at the task’s peak'],
  ['spilledMemoryBytes', 'Spilled', 'Spark’s own metric, of memory'],
  ['durationMs', 'Duration', ''],
  ['gcMs', 'Collections', 'how long they stopped its JVM while it ran'],
];

// What is a part of another figure stands below it, where it is a tenth of it or more: a page within Spark's has no room for more columns.
const PARTS: Partial<Record<TaskFigure, [part: TaskFigure, word: string]>> = {
  pythonLiveAtPeakBytes: ['pythonKeptBytes', 'kept'],
  heapAllocatedBytes: ['heapOfBroadcastsBytes', 'for broadcasts'],
};
const IS_PART = new Set(Object.values(PARTS).map(([part]) => part));

function Part({whole, row}: {whole: TaskFigure; row: TaskRow}) {
  const {gcMs, durationMs} = row.figures;
  if (whole === 'gcMs' && gcMs && durationMs) return <div class="of soft">{formatPercent(Math.min(gcMs, durationMs), durationMs)} of its time</div>;
  const [part, word] = PARTS[whole] ?? [];
  const bytes = part === undefined ? null : row.figures[part];
  if (!bytes || bytes < (row.figures[whole] ?? 0) / 10) return null;
  return (
    <div class="of soft" title={FIGURES.find(([figure]) => figure === part)?.[2]}>
      {formatBytes(bytes)} {word}
    </div>
  );
}

function Figure({figure, value, note}: {figure: TaskFigure; value: number | null | undefined; note?: string}) {
  if (figure !== 'durationMs' && figure !== 'gcMs') return <Bytes value={value} note={note} />;
  return value == null ? <span class="none">–</span> : <span title={note}>{formatDuration(value)}</span>;
}

// As a factor: 14×; below ten with one decimal.
function formatSkew(skew: number): string {
  return `${skew < 9.95 ? skew.toFixed(1) : formatCount(Math.round(skew))}×`;
}

export function Distributions({distributions}: {distributions: Distribution[]}) {
  if (distributions.length === 0) return null;
  return (
    <div class="sideways" tabIndex={0} role="region" aria-label="Distributions">
      <table class="compact" aria-label="How the tasks’ figures are distributed">
        <thead>
          <tr>
            <th scope="col">Of a task</th>
            {['Least', '25 %', 'Median', '75 %', 'Largest'].map((title) => (
              <th scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col" class="number">
              Largest to median
            </th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([figure, title, note]) => {
            const row = distributions.find((each) => each.figure === figure);
            if (!row) return null;
            return (
              <tr>
                <th scope="row">{title}</th>
                {[row.least, row.lowerQuartile, row.median, row.upperQuartile, row.largest].map((value) => (
                  <td class="number">
                    <Figure figure={figure} value={value} note={`${note}${note && ', '}of ${plural(row.tasks, 'task')}`} />
                  </td>
                ))}
                <td class={row.tone === 'warn' ? 'number warm' : 'number'}>{row.skew == null ? <span class="none">–</span> : formatSkew(row.skew)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface TaskRow {
  id: number;
  partition: number | null;
  attempt: number | null;
  status: TaskStatus;
  executor: string | null;
  launchedMs: number | null;
  figures: Record<TaskFigure, number | null>;
}

function rowsOf(columns: TaskRows, counted: boolean): TaskRow[] {
  const rows: TaskRow[] = [];
  columns.taskAttemptIds.forEach((id, at) => {
    const status = columns.statuses[at] ?? 'unknown';
    if ((status === 'counted') !== counted) return;
    const figures = Object.fromEntries(FIGURES.map(([figure]) => [figure, columns[figure]?.[at] ?? null])) as TaskRow['figures'];
    const {partitions, attempts, executors, launchedMs} = columns;
    rows.push({
      id,
      status,
      figures,
      partition: partitions[at] ?? null,
      attempt: attempts[at] ?? null,
      executor: executors[at] ?? null,
      launchedMs: launchedMs[at] ?? null,
    });
  });
  return rows;
}

function placeOf(row: TaskRow): string {
  if (row.partition === null) return '';
  return `partition ${row.partition}${row.attempt ? `, attempt ${row.attempt}` : ''}`;
}

function columnsOf(rows: TaskRow[], counted: boolean): Column<TaskRow>[] {
  const whole = rows.reduce((most, row) => Math.max(most, row.figures.pythonLiveAtPeakBytes ?? 0), 0);
  const columns: Column<TaskRow>[] = [
    {
      id: 'task',
      title: 'Task',
      look: 'main',
      value: (row) => row.id,
      cell: (row) => (
        <>
          <span class="strong" title={row.launchedMs === null ? undefined : `launched ${formatTime(row.launchedMs)}`}>
            {row.id}
          </span>{' '}
          {!counted && <span class="status">{row.status}</span>}
          <div class="of soft">
            {placeOf(row)}
            {row.executor !== null && (
              <>
                {row.partition !== null && ', '}
                <a href={link('executors', row.executor)}>{executorTitle(row.executor)}</a>
              </>
            )}
          </div>
        </>
      ),
    },
  ];
  if (whole > 0) {
    columns.push({
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: ({figures}) => (
        <Share bytes={figures.pythonLiveAtPeakBytes} whole={whole} look="python" label={`live at peak ${formatBytes(figures.pythonLiveAtPeakBytes ?? 0)}`} />
      ),
    });
  }
  // A figure that no task has gets no column.
  for (const [figure, title, note] of FIGURES) {
    if (IS_PART.has(figure) || !rows.some((row) => row.figures[figure])) continue;
    columns.push({
      id: figure,
      title,
      look: 'number',
      value: (row) => row.figures[figure],
      cell: (row) => (
        <>
          <Figure figure={figure} value={row.figures[figure]} note={note} />
          <Part whole={figure} row={row} />
        </>
      ),
    });
  }
  return columns;
}

function Rest({stage, rows}: {stage: Stage; rows: TaskRows}) {
  const shown = rows.taskAttemptIds.length;
  const attempts = stage.tasks + stage.otherAttempts.tasks;
  if (shown >= attempts) return null;
  return (
    <p class="note">
      The heaviest {formatCount(shown)} of {plural(attempts, 'attempt')} have a row here
      {rows.known > shown && (
        <>
          ; while the application runs,{' '}
          <code>
            api/v1/stages/{stage.stageId}/{stage.attempt}/tasks
          </code>{' '}
          has {formatCount(rows.known)}
        </>
      )}
      .
    </p>
  );
}

export function Tasks({stage, rows: columnsOfRows, counted, name}: {stage: Stage; rows: TaskRows; counted: boolean; name: string}) {
  const rows = useMemo(() => rowsOf(columnsOfRows, counted), [columnsOfRows, counted]);
  const columns = useMemo(() => columnsOf(rows, counted), [rows, counted]);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Task by task</h3>
      <DataTable
        label={`tasks of ${name}`}
        rows={rows}
        columns={columns}
        rowKey={(row) => String(row.id)}
        sortBy={columns.find((column) => column.look === 'number')?.id ?? 'task'}
        words={(row) => `${row.id} ${placeOf(row)} ${row.executor === null ? '' : executorTitle(row.executor)} ${row.status}`}
        filterHint="Filter by task, partition or executor"
        empty=""
        pageSize={10}
      />
      {counted && <Rest stage={stage} rows={columnsOfRows} />}
    </>
  );
}
