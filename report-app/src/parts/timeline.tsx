// An executor's life: use by kind over time (uPlot), and who held what at a moment that the reader chooses by pointer, key or button.
// The chart stacks figures of the model; the table has the figures of the chosen moment as text.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import uPlot from 'uplot';
import {namesOf, shownLimit} from '../digest';
import {useEnding, type Ending} from '../ending';
import {at, clock, deathsOf, heldAt, nearestIndex, peakIndex, seriesOf, spansOf, tick, type Span} from '../lifetime';
import type {Executor, Report, TimeLine} from '../model';
import {link} from '../route';
import type {Theme} from '../theme';
import {formatBytes, formatDuration, formatPercent, plural} from '../units';
import {Bytes} from './figures';

const EMPTY: Record<Ending, string> = {
  running: 'Too few samples so far. One is taken every second, and they come every ten seconds.',
  cut: 'Too few samples had come when this was written. One is taken every second, and they come every ten seconds.',
  whole: 'Its life was too short for samples, or none arrived; About the numbers says what was not available.',
};

const HEIGHT = 260;
const SPAN_HEIGHT = 16; // of the strip with the stages, above the areas
const LEAST_SAMPLES = 2;
const ROUND_BYTES = Array.from({length: 40}, (_none, power) => 1024 * 2 ** power);

// From bottom to top: each area's look, and the series that it adds.
const AREAS: [string, string][] = [
  ['--jvm', 'jvm'],
  ['--python', 'python.workers'],
  ['--python2', 'python.other'],
  ['--program', 'programs'],
];

type Row = (number | null)[];

// Where each area ends: the sum of those below it, and at last what the container used.
function stacked(line: TimeLine): Row[] {
  const used = seriesOf(line, 'used') ?? [];
  const sums: Row[] = [];
  let below: Row = line.timesMs.map(() => 0);
  for (const [, name] of AREAS) {
    const own = seriesOf(line, name);
    below = below.map((bytes, index) => (bytes ?? 0) + (own?.[index] ?? 0));
    sums.push(below);
  }
  sums.push(below.map((bytes, index) => Math.max(bytes ?? 0, used[index] ?? 0)));
  return sums;
}

function mostOf(sums: Row[]): number {
  return Math.max(1, ...(sums[sums.length - 1] ?? []).map((bytes) => bytes ?? 0));
}

interface Drawing {
  line: TimeLine;
  limit: number | null;
  spans: Span[];
  deaths: number[];
  chosen: () => number;
  choose: (index: number) => void;
}

function draw(host: HTMLElement, {line, limit, spans, deaths, chosen, choose}: Drawing): uPlot {
  const colour = (name: string) => getComputedStyle(host).getPropertyValue(name).trim();
  const ink = colour('--soft');
  const font = '11px system-ui, sans-serif';
  const sums = stacked(line);
  const most = mostOf(sums);
  const limits = seriesOf(line, 'limit') ?? line.timesMs.map(() => limit);
  const shownLimits = limits.map((bytes) => shownLimit(bytes, most));
  const top = Math.max(most, ...shownLimits.map((bytes) => bytes ?? 0));
  const first = line.timesMs[0] ?? 0;
  const last = Math.max(line.timesMs[line.timesMs.length - 1] ?? 0, ...deaths, first + 1000);
  const none = {show: false};
  const area = (name: string) => ({fill: colour(name), stroke: colour(name), width: 0, points: none});
  // The largest is drawn first, each smaller one over it.
  const heap = seriesOf(line, 'heap.usedAfterGc');
  const jvm = seriesOf(line, 'jvm');
  const rows: Row[] = [
    ...[...sums].reverse(),
    (heap ?? []).map((bytes, index) => (bytes === null ? null : Math.min(bytes, jvm?.[index] ?? bytes))),
    seriesOf(line, 'used') ?? [],
    shownLimits,
  ];
  const strip = (chart: uPlot) => {
    const {ctx, bbox} = chart;
    const ratio = devicePixelRatio;
    const x = (ms: number) => chart.valToPos(ms / 1000, 'x', true);
    ctx.save();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    const height = SPAN_HEIGHT * ratio;
    let right = -Infinity;
    spans.forEach((span, index) => {
      const from = x(span.from);
      const to = Math.max(x(span.to), from + 2 * ratio);
      ctx.fillStyle = colour(index % 2 === 0 ? '--edge' : '--other');
      ctx.globalAlpha = 0.45;
      ctx.fillRect(from, bbox.top - height, to - from, height - 3 * ratio);
      ctx.globalAlpha = 1;
      const title = to - from > 60 * ratio ? `stage ${span.stageId}` : String(span.stageId);
      if (from < right || ctx.measureText(title).width + 6 * ratio > to - from) return;
      ctx.fillStyle = colour('--ink');
      ctx.fillText(title, from + 3 * ratio, bbox.top - height / 2 - 1.5 * ratio);
      right = from + ctx.measureText(title).width + 8 * ratio;
    });
    ctx.strokeStyle = colour('--ink');
    ctx.lineWidth = ratio;
    line.taskStarts.forEach((starts, index) => {
      if (starts === 0) return;
      const place = x(line.timesMs[index] ?? 0);
      ctx.beginPath();
      ctx.moveTo(place, bbox.top + bbox.height);
      ctx.lineTo(place, bbox.top + bbox.height - 5 * ratio);
      ctx.stroke();
    });
    // The part of the time since the sample before in which the JVM was stopped: a bar on the bottom line.
    ctx.fillStyle = colour('--hot');
    (line.gcStoppedMicros ?? []).forEach((micros, index) => {
      if (micros === 0) return;
      const before = line.timesMs[index - 1] ?? line.timesMs[index] ?? 0;
      const until = x(line.timesMs[index] ?? 0);
      const share = Math.min(1, micros / 1000 / Math.max(1, (line.timesMs[index] ?? 0) - before));
      const tall = Math.max(1.5, share * bbox.height) * ratio;
      ctx.globalAlpha = 0.55;
      ctx.fillRect(x(before), bbox.top + bbox.height - tall, Math.max(1.5 * ratio, until - x(before)), tall);
      ctx.globalAlpha = 1;
    });
    const upright = (ms: number, look: string, width: number, dash: number[]) => {
      ctx.strokeStyle = colour(look);
      ctx.lineWidth = width * ratio;
      ctx.setLineDash(dash.map((each) => each * ratio));
      ctx.beginPath();
      ctx.moveTo(x(ms), bbox.top);
      ctx.lineTo(x(ms), bbox.top + bbox.height);
      ctx.stroke();
    };
    for (const death of deaths) upright(death, '--hot', 2, []);
    upright(line.timesMs[chosen()] ?? 0, '--ink', 1.5, [4, 3]);
    ctx.restore();
  };
  const chart = new uPlot(
    {
      width: host.clientWidth,
      height: HEIGHT,
      padding: [SPAN_HEIGHT + 4, 10, 0, 0],
      legend: none,
      cursor: {y: false, points: none, drag: {x: false, y: false}},
      scales: {x: {range: [first / 1000, last / 1000]}, y: {range: [0, top * 1.06]}},
      axes: [
        {stroke: ink, font, size: 28, space: 72, grid: none, ticks: none, values: (_chart, splits) => splits.map((seconds) => tick(line, seconds * 1000))},
        {
          stroke: ink,
          font,
          size: 74,
          incrs: ROUND_BYTES,
          grid: {stroke: colour('--line'), width: 1},
          ticks: none,
          values: (_chart, splits) => splits.map(formatBytes),
        },
      ],
      series: [
        {},
        area('--other'),
        area('--program'),
        area('--python2'),
        area('--python'),
        area('--jvm'),
        area('--heap'),
        {stroke: colour('--ink'), width: 1.5, points: none},
        {stroke: colour('--hot'), width: 2, dash: [7, 4], points: none},
      ],
      hooks: {draw: [strip]},
    },
    [line.timesMs.map((ms) => ms / 1000), ...rows] as uPlot.AlignedData,
    host,
  );
  chart.over.addEventListener('click', () => {
    if (typeof chart.cursor.idx === 'number') choose(chart.cursor.idx);
  });
  return chart;
}

function Legend({line, limitShown}: {line: TimeLine; limitShown: boolean}) {
  const key = (look: string, title: string) => (
    <span class="key">
      <i class={`dot ${look}`} />
      {title}
    </span>
  );
  return (
    <p class="legend">
      {seriesOf(line, 'heap.usedAfterGc') && key('heap', 'JVM: heap in use after collections')}
      {key('jvm', seriesOf(line, 'heap.usedAfterGc') ? 'JVM: all else, garbage too' : 'JVM')}
      {key('python', 'Python workers')}
      {key('python2', 'other Python')}
      {seriesOf(line, 'programs') && key('program', 'programs')}
      {key('other', 'in no process')}
      <span class="key">
        <i class="rule used" />
        in use
      </span>
      {limitShown && (
        <span class="key">
          <i class="rule limit" />
          limit
        </span>
      )}
      {line.gcPauses?.some((pauses) => pauses > 0) && key('stopped', 'share of the time that the JVM stood still')}
    </p>
  );
}

function Moment({report, executor, line, index, limit}: {report: Report; executor: Executor; line: TimeLine; index: number; limit: number | null}) {
  const used = at(line, 'used', index);
  const pressure = line.pressurePercent?.[index] ?? null;
  const stages = line.stages[index] ?? [];
  const pauses = line.gcPauses?.[index] ?? 0;
  const stopped = line.gcStoppedMicros?.[index] ?? 0;
  return (
    <>
      <p>
        <strong>{clock(line, line.timesMs[index] ?? 0)} UTC</strong>
        <span class="soft">
          , {formatDuration((line.timesMs[index] ?? 0) - (line.timesMs[0] ?? 0))} after its first sample{index === peakIndex(line) && ': the largest use'}
        </span>
        <br />
        <Bytes value={used} note="the container’s use" /> in use
        {used !== null && limit !== null && ` of ${formatBytes(limit)}, ${formatPercent(used, limit)}`}
      </p>
      <table class="compact" aria-label="Who held what then">
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col" class="number">
              Held then
            </th>
          </tr>
        </thead>
        <tbody>
          {heldAt(line, index).map((row) => (
            <tr>
              <td class={row.part ? 'part-of' : ''}>
                {row.look && <i class={`dot ${row.look}`} />}
                {row.title}
              </td>
              <td class="number">
                <Bytes value={row.bytes} note={row.note} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {plural(line.runningTasks[index] ?? 0, 'task')} running
        {stages.map(([stageId, tasks], place) => {
          const known = report.stages.filter((stage) => stage.stageId === stageId).pop();
          const title = `stage ${stageId}`;
          return (
            <>
              {place === 0 ? ': ' : ', '}
              {tasks} of {known ? <a href={link('stages', `${known.stageId}.${known.attempt}`)}>{title}</a> : title}
            </>
          );
        })}
        .{pauses > 0 && ` The JVM stood still ${formatDuration(Math.max(1, Math.round(stopped / 1000)))} in ${plural(pauses, 'pause')} before.`}
        {pressure !== null && pressure > 0 && ` Threads waited for memory ${pressure} % of the ten seconds before.`}
      </p>
      {executor.removedMs != null && index === line.timesMs.length - 1 && <p class="note">Its last sample: the executor was removed after it.</p>}
    </>
  );
}

function told(line: TimeLine, index: number, limit: number | null): string {
  const used = at(line, 'used', index);
  const of = used !== null && limit !== null ? ` of ${formatBytes(limit)}` : '';
  return `${clock(line, line.timesMs[index] ?? 0)} UTC: ${used === null ? 'not measured' : formatBytes(used)}${of}`;
}

export function LifeChart({report, executor, theme}: {report: Report; executor: Executor; theme: Theme}) {
  const ending = useEnding(report);
  const line = executor.timeline ?? null;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  // A time, not an index: while the application runs, samples are added and thinned.
  const [chosenMs, setChosenMs] = useState<number | null>(null);
  const count = line?.timesMs.length ?? 0;
  const index = line === null || count === 0 ? 0 : chosenMs === null ? peakIndex(line) : nearestIndex(line, chosenMs);
  const current = useRef(index);
  current.current = index;
  const choose = (next: number) => setChosenMs(line?.timesMs[Math.min(count - 1, Math.max(0, next))] ?? null);
  const latestChoose = useRef(choose);
  latestChoose.current = choose;
  const limit = line === null ? null : (at(line, 'limit', index) ?? executor.limitBytes);
  const deaths = useMemo(() => deathsOf(report, executor), [report, executor]);
  useEffect(() => {
    const element = host.current;
    if (!element || line === null || count < LEAST_SAMPLES) return;
    const made = draw(element, {
      line,
      limit: executor.limitBytes,
      spans: spansOf(line),
      deaths: deaths.map((death) => death.timeMs ?? 0),
      chosen: () => current.current,
      choose: (next) => latestChoose.current(next),
    });
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({width: element.clientWidth, height: HEIGHT}));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.current = null;
      made.destroy();
    };
  }, [line, theme, executor.limitBytes, deaths]);
  useEffect(() => chart.current?.redraw(false), [index]);
  if (line === null || count < LEAST_SAMPLES) {
    return <p class="empty">{EMPTY[ending]}</p>;
  }
  const far = Math.max(1, Math.round(count / 10));
  const keys: Record<string, number> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - far,
    PageUp: index + far,
    Home: 0,
    End: count - 1,
  };
  const most = mostOf(stacked(line));
  const limitShown = shownLimit(limit, most) !== null;
  return (
    <div class="life">
      <figure class="chart">
        <figcaption>
          In use over time <span class="note">choose a moment: click, arrow keys, or the buttons</span>
        </figcaption>
        <div
          ref={host}
          class="life-plot"
          role="slider"
          tabIndex={0}
          aria-label="Moment of the executor’s life"
          aria-orientation="horizontal"
          aria-valuemin={0}
          aria-valuemax={count - 1}
          aria-valuenow={index}
          aria-valuetext={told(line, index, limit)}
          onKeyDown={(event) => {
            const next = keys[event.key];
            if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            choose(next);
          }}
        />
        <Legend line={line} limitShown={limitShown} />
        <p class="note">
          Strip above: stages that had tasks here. Ticks below: tasks that began.
          {deaths.length > 0 && ` Red uprights: ${namesOf(deaths)}.`}
          {limit !== null && !limitShown && ` The limit, ${formatBytes(limit)}, is far beyond this scale.`}
          {line.thinnedSamples > 0 &&
            ` ${plural(line.thinnedSamples, 'sample')} between these were thinned out. Every peak of what is in use is kept, with all else as it was then; anything else may have been larger in between.`}
        </p>
      </figure>
      <section class="card moment" aria-live="polite">
        <h2>At this moment</h2>
        <Moment report={report} executor={executor} line={line} index={index} limit={limit} />
        <p class="buttons">
          <button type="button" class="plain" disabled={index === 0} onClick={() => choose(index - 1)}>
            Earlier
          </button>{' '}
          <button type="button" class="plain" disabled={index === count - 1} onClick={() => choose(index + 1)}>
            Later
          </button>{' '}
          <button type="button" class="plain" onClick={() => choose(peakIndex(line))}>
            Largest use
          </button>{' '}
          <button type="button" class="plain" onClick={() => choose(count - 1)}>
            Last
          </button>
        </p>
      </section>
    </div>
  );
}
