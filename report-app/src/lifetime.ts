// An executor's time line as the chart and the table beside it show it: one moment, the stages that ran, deaths.
import {allDeaths} from './digest';
import type {Executor, Report, TimeLine} from './model';

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

export function deathsOf(report: Report, executor: Executor): number[] {
  const times = allDeaths(report)
    .filter((death) => death.executorId === executor.id)
    .map((death) => death.timeMs ?? 0);
  return times.filter((time) => time > 0);
}

// Who held what at a sample, in the order of the stack; the model's own figures.
export function heldAt(line: TimeLine, index: number): Held[] {
  const rows: Held[] = [{title: 'JVM', look: 'jvm', bytes: at(line, 'jvm', index), note: 'resident'}];
  const inside: [string, string][] = [
    ['heap.usedAfterGc', 'heap in use after its last collection'],
    ['heap.storage', 'of Spark’s storage'],
    ['heap.execution', 'of Spark’s execution'],
    ['offHeap', 'direct and off-heap blocks'],
  ];
  for (const [name, title] of inside) {
    if (seriesOf(line, name)) rows.push({title, look: name === 'heap.usedAfterGc' ? 'heap' : '', bytes: at(line, name, index), part: true});
  }
  const named = line.workers[index] ?? [];
  rows.push({title: 'Python workers', look: 'python', bytes: at(line, 'python.workers', index), note: 'resident, together'});
  for (const [pid, bytes] of named) rows.push({title: `pid ${pid}`, look: '', bytes, part: true});
  if (seriesOf(line, 'python.other')?.some((bytes) => bytes)) {
    rows.push({title: 'Other Python', look: 'python2', bytes: at(line, 'python.other', index), note: 'daemons, and the driver’s Python in local mode'});
  }
  if (at(line, 'programs', index)) {
    rows.push({title: 'Programs', look: 'program', bytes: at(line, 'programs', index), note: 'that a task or Spark has started'});
  }
  const rest = at(line, 'unattributed', index);
  if (rest !== null && rest !== 0) {
    rows.push({title: 'In no process', look: 'other', bytes: rest, note: 'page cache and kernel; negative where processes share pages'});
  }
  return rows;
}
