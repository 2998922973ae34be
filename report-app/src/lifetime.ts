// An executor's time line as the chart and the table beside it show it: one moment, the stages that ran, deaths.
import {allDeaths} from './digest';
import type {Executor, OtherDeath, PostMortem, Report, TimeLine} from './model';

export interface Held {
  title: string;
  look: string;
  bytes: number | null;
  note?: string;
  part?: boolean; // of the one above it
}

export interface Span {
  stageId: number;
  from: number; // ms
  to: number;
}

export function seriesOf(line: TimeLine, name: string): (number | null)[] | null {
  return line.series.find((series) => series.name === name)?.bytes ?? null;
}

export function at(line: TimeLine, name: string, index: number): number | null {
  return seriesOf(line, name)?.[index] ?? null;
}

const DAY_MS = 86_400_000;

// "22:14:03", and "11-14 22:14:03" where the hour alone says little: of a life of a day or more.
export function clock({timesMs}: TimeLine, ms: number): string {
  const date = new Date(ms);
  const days = (timesMs[timesMs.length - 1] ?? 0) - (timesMs[0] ?? 0) >= DAY_MS;
  return Number.isNaN(date.getTime())
    ? '–'
    : date
        .toISOString()
        .slice(days ? 5 : 11, 19)
        .replace('T', ' ');
}

// The same on an axis, which has no room for a day and seconds.
export function tick(line: TimeLine, ms: number): string {
  const told = clock(line, ms);
  return told.includes(' ') ? told.slice(0, -':00'.length) : told;
}

// The moment of the largest use.
export function peakIndex(line: TimeLine): number {
  const used = seriesOf(line, 'used') ?? [];
  let peak = 0;
  used.forEach((bytes, index) => {
    if ((bytes ?? -1) > (used[peak] ?? -1)) peak = index;
  });
  return peak;
}

export function nearestIndex(line: TimeLine, timeMs: number): number {
  let nearest = 0;
  line.timesMs.forEach((each, index) => {
    if (Math.abs(each - timeMs) < Math.abs((line.timesMs[nearest] ?? 0) - timeMs)) nearest = index;
  });
  return nearest;
}

// When each stage had tasks here, from the first sample with one to the last.
export function spansOf(line: TimeLine): Span[] {
  const spans = new Map<number, Span>();
  line.stages.forEach((stages, index) => {
    const time = line.timesMs[index] ?? 0;
    for (const [stageId] of stages) {
      const known = spans.get(stageId);
      if (known) known.to = time;
      else spans.set(stageId, {stageId, from: time, to: time});
    }
  });
  return [...spans.values()].sort((a, b) => a.from - b.from);
}

export function deathsOf(report: Report, executor: Executor): (PostMortem | OtherDeath)[] {
  return allDeaths(report).filter((death) => death.executorId === executor.id && (death.timeMs ?? 0) > 0);
}

// Who held what at a sample, in the order of the stack; the model's own figures.
export function heldAt(line: TimeLine, index: number): Held[] {
  const rows: Held[] = [{title: 'JVM', look: 'jvm', bytes: at(line, 'jvm', index), note: 'resident'}];
  const inside: [string, string][] = [
    ['heap.usedAfterGc', 'heap in use after its last collection'],
    ['heap.storage', 'of Spark’s storage'],
    ['heap.execution', 'of Spark’s execution'],
    ['offHeap', 'direct and off-heap blocks'],
    ['native', 'blocks of JNI libraries'],
  ];
  for (const [name, title] of inside) {
    if (seriesOf(line, name)) rows.push({title, look: name === 'heap.usedAfterGc' ? 'heap' : '', bytes: at(line, name, index), part: true});
  }
  const named = line.workers[index] ?? [];
  rows.push({title: 'Python workers', look: 'python', bytes: at(line, 'python.workers', index), note: 'resident, together'});
  if (seriesOf(line, 'python.native')) {
    const note = 'resident; of the workers that had measured it by then';
    rows.push({title: 'of native libraries', look: '', bytes: at(line, 'python.native', index), note, part: true});
  }
  for (const [pid, bytes] of named) rows.push({title: `pid ${pid}`, look: '', bytes, part: true});
  const others = at(line, 'python.workers.others', index);
  if (others) rows.push({title: 'smaller workers', look: '', bytes: others, note: 'resident, together', part: true});
  if (seriesOf(line, 'python.other')?.some((bytes) => bytes)) {
    rows.push({title: 'Other Python', look: 'python2', bytes: at(line, 'python.other', index), note: 'daemons, and the driver’s Python in local mode'});
  }
  if (at(line, 'programs', index)) {
    rows.push({title: 'Programs', look: 'program', bytes: at(line, 'programs', index), note: 'that a task or Spark has started'});
  }
  const rest = at(line, 'unattributed', index);
  if (rest !== null && rest !== 0) {
    rows.push({
      title: 'In no process',
      look: 'other',
      bytes: rest,
      note: 'pages of the kernel and of tmpfs; negative where processes share pages or have files mapped',
    });
  }
  return rows;
}
