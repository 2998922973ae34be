// To be understood in ten seconds: what happened, what to change, where the memory went.
import {adviceOf, allDeaths, confArgument, executorsByUse, jvmSitesOf, largest, linesOf, namesOf} from '../digest';
import {useEnding, type Ending} from '../ending';
import type {Advice, Report} from '../model';
import {Findings} from '../parts/cached';
import {ContainerBars, ContainerLegend, Use, scaleOf} from '../parts/container';
import {Copyable} from '../parts/copy';
import {Bytes, allocatedNote, liveNote} from '../parts/figures';
import {link} from '../route';
import {executorTitle, framePlace, frameTitle, isDriversPython, leadFrame, stageKey, stageTitle, udfTitle} from '../titles';
import {formatCount, plural} from '../units';

const EMPTY: Record<Ending, string> = {
  running: 'No stage has started yet. This page fills as the application runs its first job.',
  cut: 'No stage had started when this was written.',
  whole: 'No stage ran while sparkmemprof was on. Run a job, then make the report again.',
};

const EXECUTORS_SHOWN = 6;

function Verdict({report}: {report: Report}) {
  const {verdict} = report;
  const entries = allDeaths(report);
  const deaths = entries.length;
  return (
    <section class={`verdict ${verdict.tone}`} aria-label="Verdict">
      <p class="sentence">{verdict.sentence}</p>
      <p class="soft">
        {verdict.because}
        {deaths > 0 && (
          <>
            {' '}
            <a href={link('deaths')}>{deaths === 1 ? 'Its post-mortem' : `All ${formatCount(deaths)} ${namesOf(entries)}`}</a>
          </>
        )}
      </p>
      {verdict.unmeasured && <p class="soft">{verdict.unmeasured}</p>}
      {deaths === 0 && <Findings findings={report.findings ?? []} />}
    </section>
  );
}

export function AdviceItem({advice}: {advice: Advice}) {
  return (
    <li class="advice">
      {advice.conf !== null && (
        <p class="change">
          <code>{advice.conf}</code>{' '}
          {advice.to !== null && (
            <span>
              {advice.from ?? 'not set'} <span aria-label="to">→</span> <strong>{advice.to}</strong>
            </span>
          )}
        </p>
      )}
      <p class={advice.conf === null ? '' : 'soft'}>{advice.because}</p>
      {advice.conf !== null && advice.to !== null && <Copyable text={confArgument(advice.conf, advice.to)} />}
    </li>
  );
}

function WhatToChange({report}: {report: Report}) {
  const advice = adviceOf(report);
  if (advice.length === 0) return null;
  return (
    <section>
      <h2>What to change</h2>
      <ul class="advices">
        {advice.map((piece) => (
          <AdviceItem advice={piece} />
        ))}
      </ul>
    </section>
  );
}

function LineTile({report}: {report: Report}) {
  const found = largest(linesOf(report), ({line}) => line.liveAtPeakBytes);
  if (!found) return null;
  const {line, stage} = found;
  const path = line.paths[0];
  const whose = isDriversPython(stage) || report.application.master === 'program' ? 'process' : 'task';
  return (
    <div class="tile">
      <p class="what">Line that held most, in one {whose}</p>
      <p class="much">
        <Bytes value={line.liveAtPeakBytes} note={liveNote(line)} />
      </p>
      <p class="code">
        <strong>{line.place}</strong> {line.function}
      </p>
      {line.source && <code class="source">{line.source}</code>}
      {path?.text && <p class={`code ${path.native ? 'native' : 'soft'}`}>{path.text}</p>}
      <p class="context">
        <a href={link('stages', stageKey(stage))}>{stageTitle(stage)}</a>
        {line.udf ? `, UDF ${udfTitle(line)}` : ''}
      </p>
    </div>
  );
}

function HeapTile({report}: {report: Report}) {
  const found = largest(
    jvmSitesOf(report.stages).filter(({site}) => site.origin === 'jvm-heap'),
    ({site}) => site.allocatedBytes,
  );
  const lead = found && leadFrame(found.site);
  if (!found || !lead) return null;
  return (
    <div class="tile">
      <p class="what">Most allocated in the JVM’s heap, over a stage</p>
      <p class="much">
        <Bytes value={found.site.allocatedBytes} note={allocatedNote(found.site)} />
      </p>
      <p class="code">
        <strong>{frameTitle(lead)}</strong> <span class="soft">{framePlace(lead)}</span>
      </p>
      <p class="context">
        <a href={link('stages', stageKey(found.stage))}>{stageTitle(found.stage)}</a>
      </p>
    </div>
  );
}

function LeakTile({report}: {report: Report}) {
  const leak = report.leaks?.[0];
  if (!leak) return null;
  return (
    <div class="tile">
      <p class="what">Leaves more behind with every task</p>
      <p class="much">
        + <Bytes value={leak.largest.perTaskBytes} note="median of the slopes between tasks" />
        <span class="unit"> a task</span>
      </p>
      <p class="code">
        <strong>{leak.place}</strong> {leak.function}
      </p>
      <p class="context">
        <a href={link('lines')}>{report.leaks && report.leaks.length > 1 ? `All ${report.leaks.length} such lines` : 'How this is known'}</a>
      </p>
    </div>
  );
}

function Containers({report}: {report: Report}) {
  const entries = allDeaths(report);
  const died = new Set(entries.map((death) => death.executorId));
  const fullest = executorsByUse(report);
  const executors = [...fullest.filter(({id}) => died.has(id)), ...fullest.filter(({id}) => !died.has(id))];
  if (executors.length === 0) return null;
  const shown = executors.slice(0, EXECUTORS_SHOWN);
  const whole = scaleOf(shown);
  return (
    <section>
      <h2>
        {report.application.master === 'program'
          ? 'Memory of the program'
          : died.size > 0
            ? `Containers: those of the ${namesOf(entries)}, then the fullest`
            : 'Containers, fullest first'}
      </h2>
      <div class="card">
        <ContainerLegend />
        {shown.map((executor) => (
          <div class="container-row">
            <p>
              <a class="strong" href={link('executors', executor.id)}>
                {executorTitle(executor.id)}
              </a>{' '}
              <Use executor={executor} />
              {executor.removedReason && <span class="removed"> removed</span>}
            </p>
            <ContainerBars executor={executor} whole={whole} />
          </div>
        ))}
        {executors.length > shown.length && (
          <p>
            <a href={link('executors')}>All {plural(executors.length, 'executor')}</a>
          </p>
        )}
      </div>
    </section>
  );
}

export function SummaryPage({report}: {report: Report}) {
  const ending = useEnding(report);
  const anything = report.stages.length > 0 || report.executors.length > 0;
  return (
    <>
      <Verdict report={report} />
      <WhatToChange report={report} />
      {report.postMortems.length > 0 && <Findings findings={report.findings ?? []} />}
      <div class="tiles">
        <LineTile report={report} />
        <LeakTile report={report} />
        <HeapTile report={report} />
      </div>
      <Containers report={report} />
      {!anything && <p class="empty">{EMPTY[ending]}</p>}
    </>
  );
}
