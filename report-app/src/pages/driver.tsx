// Driver: its heap and its Python process, and what came back to it, by the action of the user's program that asked for it.
import {mayHaveRun} from '../digest';
import {useEnding, type Ending} from '../ending';
import type {Action, Broadcast, Driver, Report, StageResults} from '../model';
import {Share} from '../parts/bar';
import {Broadcasts} from '../parts/cached';
import {Bytes} from '../parts/figures';
import {LineTable} from '../parts/linetable';
import {DataTable, type Column} from '../parts/table';
import {link} from '../route';
import {isDriversPython, stageKey, stageTitle} from '../titles';
import {formatBytes, formatCount, formatDuration, formatPercent, plural} from '../units';

const EMPTY: Record<Ending, string> = {
  running: 'No job has started yet. Actions show up with the first of them.',
  cut: 'No job had started when this was written.',
  whole: 'No job of Spark was seen.',
};

const SERIALISED = 'serialised, as Spark counts it';
const rowsOf = (rows?: number | null) => (rows == null ? '' : `; ${plural(rows, 'row')}`);
const STAGES_SHOWN = 4;

function ResultsLine({results, most}: {results: StageResults; most: number}) {
  const share = most > 0 ? `, ${formatPercent(results.resultBytes, most)} of spark.driver.maxResultSize` : '';
  const partitions = results.partitions !== null && results.partitions !== results.tasks ? ` of ${formatCount(results.partitions)}` : '';
  return (
    <li>
      Stage {results.stageId}
      {results.purpose === 'broadcast' && ', to broadcast'}: {formatBytes(results.resultBytes)} from {formatCount(results.tasks)}
      {partitions} {results.tasks === 1 && !partitions ? 'task' : 'tasks'}, largest {formatBytes(results.largestResultBytes)}
      {share}
    </li>
  );
}

// Where an action's memory was used: its stages, with the lines of its plan.
function StagesOf({action, report}: {action: Action; report: Report}) {
  const rows = report.stages.filter((stage) => mayHaveRun(action, stage));
  if (rows.length === 0) return null;
  const shown = rows.slice(-STAGES_SHOWN);
  return (
    <ul class="plain-list small">
      {shown.map((stage) => (
        <li>
          <a href={link('stages', stageKey(stage))}>{stageTitle(stage)}</a> <span class="soft">{stage.title}</span>
        </li>
      ))}
      {rows.length > shown.length && <li class="soft">and {plural(rows.length - shown.length, 'more stage')}</li>}
    </ul>
  );
}

function columnsOf(driver: Driver, report: Report, whole: number): Column<Action>[] {
  return [
    {
      id: 'action',
      title: 'Action',
      look: 'main',
      value: (action) => action.title,
      cell: (action) => (
        <>
          <span class="strong">{action.title}</span> <span class="soft">{action.which}</span>{' '}
          {action.status !== 'complete' && <span class={`status ${action.status}`}>{action.status}</span>}
          {action.file === null && <div class="small soft">Spark doesn’t know which line of the program called it</div>}
          {action.builtAtPhrase && <div class="small soft">its plan was built at {action.builtAtPhrase}</div>}
          {action.description && <div class="small">{action.description}</div>}
          {action.results.length > 0 && (
            <ul class="plain-list small">
              {action.results.slice(0, STAGES_SHOWN).map((results) => (
                <ResultsLine results={results} most={driver.maxResultBytes ?? 0} />
              ))}
              {action.results.length > STAGES_SHOWN && <li class="soft">and {plural(action.results.length - STAGES_SHOWN, 'smaller stage')}</li>}
            </ul>
          )}
          {action.failureReason && <div class="small warm">{action.failureReason.split('\n', 1)[0]}</div>}
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: (action) => (
        <Share
          bytes={action.resultBytes + action.broadcastBytes}
          whole={whole}
          look="jvm"
          label={`came to ${formatBytes(action.resultBytes + action.broadcastBytes)}`}
        />
      ),
    },
    {
      id: 'result',
      title: 'Results',
      look: 'number',
      value: (action) => action.resultBytes,
      cell: (action) => <Bytes value={action.resultBytes} note={SERIALISED} />,
    },
    {
      id: 'broadcast',
      title: 'To broadcast',
      look: 'number',
      value: (action) => action.broadcastBytes,
      cell: (action) => <Bytes value={action.broadcastBytes} note={SERIALISED + rowsOf(action.broadcastRows)} />,
    },
    {
      id: 'rows',
      title: 'Rows',
      look: 'number',
      value: (action) => action.resultRows ?? null,
      cell: (action) => (action.resultRows == null ? <span class="none">–</span> : formatCount(action.resultRows)),
    },
    {id: 'tasks', title: 'Tasks', look: 'number', value: (action) => action.resultTasks, cell: (action) => formatCount(action.resultTasks)},
    {
      id: 'duration',
      title: 'Duration',
      look: 'number',
      value: (action) => (action.endedMs === null ? null : action.endedMs - action.startedMs),
      cell: (action) => (action.endedMs === null ? <span class="none">–</span> : formatDuration(action.endedMs - action.startedMs)),
    },
    {id: 'stages', title: 'Memory was spent in', cell: (action) => <StagesOf action={action} report={report} />},
  ];
}

// Its heap and its Python process; null where neither was measured.
function OwnMemory({report}: {report: Report}) {
  const row = report.executors.find((executor) => executor.id === 'driver');
  const own = report.stages.find(isDriversPython);
  const python = (row?.processes ?? []).filter((process) => process.kind === 'python-driver');
  if (!row?.heapAfterGcPeak && python.length === 0 && !own) {
    return report.verdict.unmeasured ? <p class="note">{report.verdict.unmeasured}</p> : null;
  }
  return (
    <section class="card">
      <h2>Its heap and its Python</h2>
      <p class="facts">
        {row?.heapAfterGcPeak && (
          <span>
            Heap in use after a collection, at most <Bytes value={row.heapAfterGcPeak.bytes} note={row.heapAfterGcPeak.collection} />
            {row.heapMaxBytes != null && (
              <>
                {' '}
                of <Bytes value={row.heapMaxBytes} />
              </>
            )}
          </span>
        )}
        {python.map((process) => (
          <span>
            Python process {process.pid}, resident at most <Bytes value={process.peakRssBytes} />
          </span>
        ))}
        {row && (
          <span>
            <a href={link('executors', 'driver')}>Its life over time</a>
          </span>
        )}
        {own && (
          <span>
            <a href={link('flame', undefined, {stage: stageKey(own)})}>Its Python’s flame graph</a>
          </span>
        )}
      </p>
      {own ? (
        <LineTable
          label="Lines of the driver’s Python"
          lines={(own.lines ?? []).map((line) => ({line, stage: own, group: own}))}
          report={report}
          withStage={false}
          empty="No line of it took memory that was sampled."
        />
      ) : (
        python.length > 0 && (
          <p class="note">
            Its lines are seen where <code>sparkmemprof submit</code> started the job, once it has ended.
          </p>
        )
      )}
    </section>
  );
}

export function DriverPage({report}: {report: Report}) {
  return (
    <>
      <OwnMemory report={report} />
      <Results report={report} />
    </>
  );
}

function Results({report}: {report: Report}) {
  const ending = useEnding(report);
  const driver = report.driver;
  const broadcasts: Broadcast[] = (report.broadcasts ?? []).filter((row) => (row.driverPeakBytes ?? 0) > 0);
  if (!driver) {
    return (
      <p class="empty">
        {report.application.master === 'program' ? 'A program without Spark has no jobs whose results could come back to it.' : EMPTY[ending]}
      </p>
    );
  }
  const whole = driver.actions.reduce((most, action) => Math.max(most, action.resultBytes + action.broadcastBytes), 0);
  return (
    <>
      <p class="note">
        Spark runs nothing before an action asks for a result: the memory of a plan is spent where its action runs. Results come to the driver serialised
        {driver.maxResultBytes ? (
          <>
            ; those of one stage may come to <Bytes value={driver.maxResultBytes} note="spark.driver.maxResultSize" /> (<code>spark.driver.maxResultSize</code>)
          </>
        ) : null}
        .
      </p>
      <DataTable
        label="actions"
        rows={driver.actions}
        columns={columnsOf(driver, report, whole)}
        rowKey={(action) => `${action.queryId ?? 'j'}/${action.jobs[0] ?? ''}`}
        sortBy="result"
        words={(action) => `${action.title} ${action.which} ${action.callSite ?? ''} ${action.builtAtPhrase} ${action.description ?? ''} ${action.status}`}
        filterHint="Filter by call, line, description or status"
        empty="No action has a row."
      />
      {driver.otherActions && (
        <p class="note">
          Lighter actions without a row: {formatCount(driver.otherActions.actions)}, which brought{' '}
          <Bytes value={driver.otherActions.resultBytes} note={SERIALISED} />.
        </p>
      )}
      {broadcasts.length > 0 && (
        <section>
          <h3>Broadcast variables that the driver made</h3>
          <Broadcasts broadcasts={broadcasts} />
        </section>
      )}
    </>
  );
}
