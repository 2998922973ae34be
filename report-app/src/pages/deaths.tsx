import {namesOf, shownLimit} from '../digest';
import type {OtherDeath, PostMortem, Report} from '../model';
import {Bar} from '../parts/bar';
import {processParts} from '../parts/container';
import {Bytes} from '../parts/figures';
import {Frames} from '../parts/frames';
import {FullHeap} from '../parts/fullheap';
import {RegionTable} from '../parts/regions';
import {RetainedHeap} from '../parts/retained';
import {SiteTable} from '../parts/sitetable';
import {DataTable, type Column} from '../parts/table';
import {link} from '../route';
import {executorTitle, processTitle} from '../titles';
import {formatBytes, formatDuration, formatTime, plural} from '../units';
import {AdviceItem} from './summary';

function Death({death, index, enforced}: {death: PostMortem; index: number; enforced: boolean}) {
  const processes = death.processes ?? [];
  const stack = death.stack ?? [];
  const used = death.usedBytes ?? processes.reduce((all, process) => all + process.bytes, 0);
  const whole = Math.max(1, used, shownLimit(death.limitBytes, used) ?? 0) * 1.02;
  const facts = [
    death.timeMs ? formatTime(death.timeMs) : null,
    death.pid !== null ? `${death.program ?? death.process} ${death.pid}` : death.process,
    death.exitCode !== null ? `exit code ${death.exitCode}` : null,
    death.lastSampleAgeMs !== null ? `last sample ${formatDuration(death.lastSampleAgeMs)} before` : null,
  ].filter(Boolean);
  return (
    <article class={`card death ${death.tone}`}>
      <h2>{death.headline}</h2>
      <p class="facts">
        <span>
          {death.jobId == null ? <a href={link('executors', death.executorId)}>{executorTitle(death.executorId)}</a> : <a href={link('driver')}>The driver</a>}
        </span>
        {facts.map((fact) => (
          <span>{fact}</span>
        ))}
      </p>
      <p>How this is known: {death.how}.</p>
      {death.reason && <p class="soft">Spark says: {death.reason}</p>}
      {death.advice.length > 0 && (
        <>
          <h3>What to change</h3>
          <ul class="advices">
            {death.advice.map((advice) => (
              <AdviceItem advice={advice} />
            ))}
          </ul>
        </>
      )}
      {stack.length > 0 && (
        <>
          <h3>{death.stackTitle}</h3>
          <Frames frames={stack} />
        </>
      )}
      <FullHeap heap={death.heap} note={death.heapNote} />
      <RetainedHeap retained={death.retained} />
      {processes.length > 0 && (
        <>
          <h3>
            Processes at the last sample: <Bytes value={death.usedBytes} /> of <Bytes value={death.limitBytes} />
          </h3>
          <Bar size="tall" parts={processParts(processes, used)} whole={whole} mark={death.limitBytes} label="In use at the last sample" />
          <p class="note">{processes.map((process) => `${processTitle(process)} ${process.pid}: ${formatBytes(process.bytes)}`).join(' · ')}</p>
          {(death.regions ?? []).length > 0 && <RegionTable rows={death.regions ?? []} measured="Then" enforced={enforced} />}
        </>
      )}
      {death.jobId == null && (
        <>
          <h3>{death.title}</h3>
          <SiteTable
            label={`${death.title}, post-mortem ${index + 1}`}
            rows={death.sites.map((site, at) => ({key: String(at), site, stage: null}))}
            by="live"
            withStage={false}
            empty="No task’s profile had arrived, and none of its stage had failed before: how much each process used is known, but not what for."
          />
        </>
      )}
    </article>
  );
}

const OTHERS: Column<OtherDeath>[] = [
  {id: 'headline', title: 'What happened', look: 'main', value: (death) => death.headline, cell: (death) => death.headline},
  {
    id: 'executor',
    title: 'Where',
    value: (death) => death.executorId,
    cell: (death) => <a href={link('executors', death.executorId)}>{executorTitle(death.executorId)}</a>,
  },
  {id: 'time', title: 'When', look: 'number', value: (death) => death.timeMs, cell: (death) => formatTime(death.timeMs)},
];

function Others({deaths}: {deaths: OtherDeath[]}) {
  if (deaths.length === 0) return null;
  return (
    <section class="card" aria-label="Other deaths">
      <h2>{plural(deaths.length, `more ${namesOf(deaths).slice(0, -1)}`)}</h2>
      <p class="note">The post-mortems above are of the newest and of the largest.</p>
      <DataTable
        label="other deaths"
        rows={deaths}
        columns={OTHERS}
        rowKey={(death) => death.key}
        sortBy="time"
        words={(death) => death.headline}
        filterHint="Filter by words"
        empty=""
      />
    </section>
  );
}

export function DeathsPage({report}: {report: Report}) {
  const unmeasured = report.verdict.unmeasured && <p class="note">{report.verdict.unmeasured}</p>;
  if (report.postMortems.length === 0) {
    return (
      <>
        <p class="empty">{report.verdict.sentence}</p>
        <p class="soft">
          {report.verdict.because} <a href={link('executors')}>All executors</a>
        </p>
        {unmeasured}
      </>
    );
  }
  return (
    <>
      {unmeasured}
      {report.postMortems.map((death, index) => (
        <Death death={death} index={index} enforced={report.executors.find((each) => each.id === death.executorId)?.limitEnforced ?? true} />
      ))}
      <Others deaths={report.otherDeaths ?? []} />
    </>
  );
}
