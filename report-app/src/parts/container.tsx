// The container picture: what was requested by region, over it what was in use at the peak, and the limit as a line.
import {shownLimit, useOf} from '../digest';
import type {Executor, ProcessAtMoment} from '../model';
import {processTitle} from '../titles';
import {formatBytes, formatPercent} from '../units';
import {Bar, type Part} from './bar';
import {Bytes} from './figures';

export const REGION_LOOKS: Record<string, string> = {
  'heap.reserved': 'region-reserved',
  'heap.storage': 'region-storage',
  'heap.execution': 'region-execution',
  'heap.user': 'region-user',
  overhead: 'region-overhead',
  offHeap: 'region-offheap',
  pyspark: 'region-pyspark',
};

function budgetParts(executor: Executor): Part[] {
  return executor.regions
    .filter((region) => region.budgetBytes)
    .map((region) => ({
      bytes: region.budgetBytes ?? 0,
      look: REGION_LOOKS[region.name] ?? 'other',
      title: `${region.name} ${formatBytes(region.budgetBytes ?? 0)}`,
    }));
}

// Each process's RSS includes shared pages and mapped files. The container's use counts shared pages once and file pages not at all. If
// the processes' sum is larger than the use, the parts are scaled down to it.
export function processParts(processes: ProcessAtMoment[], used: number): Part[] {
  let pythons = 0;
  const sum = processes.reduce((all, process) => all + process.bytes, 0);
  const share = sum > used ? used / sum : 1;
  const parts = processes.map((process) => {
    const look = process.kind === 'jvm' ? 'jvm' : process.kind.startsWith('python') ? (pythons++ % 2 === 0 ? 'python' : 'python2') : 'program';
    return {bytes: process.bytes * share, look, title: `${processTitle(process)} ${process.pid} ${formatBytes(process.bytes)}`};
  });
  if (used > sum) parts.push({bytes: used - sum, look: 'other', title: `in no process ${formatBytes(used - sum)}`});
  return parts;
}

// The bytes of the bars' full width, the same for all executors shown together.
export function scaleOf(executors: Executor[]): number {
  const figures = executors.flatMap((executor) => [executor.atPeak?.usedBytes ?? 0, sum(budgetParts(executor))]);
  const shown = Math.max(1, ...figures);
  const limits = executors.map((executor) => shownLimit(executor.limitBytes, shown) ?? 0);
  return Math.max(shown, ...limits) * 1.02;
}

function sum(parts: Part[]): number {
  return parts.reduce((all, part) => all + part.bytes, 0);
}

export function Use({executor}: {executor: Executor}) {
  if (!executor.atPeak) {
    return (
      <span>
        peak not measured; limit <Bytes value={executor.limitBytes} />
      </span>
    );
  }
  return (
    <span>
      {executor.limitBytes ? <strong class={`percent ${executor.tone}`}>{formatPercent(useOf(executor), 1)}</strong> : ''}{' '}
      <Bytes value={executor.atPeak.usedBytes} note="the container’s use, at a sample of the watcher" /> at the peak of <Bytes value={executor.limitBytes} />{' '}
      <span class="soft">{executor.limitPhrase}</span>
    </span>
  );
}

export function ContainerBars({executor, whole}: {executor: Executor; whole: number}) {
  const budget = budgetParts(executor);
  const peak = executor.atPeak;
  const limit = executor.limitBytes;
  const beyond = limit !== null && limit > whole;
  return (
    <div class="container-bars">
      {peak ? (
        <Bar size="tall" parts={processParts(peak.processes, peak.usedBytes)} whole={whole} mark={limit} label="In use at the peak" />
      ) : (
        <p class="note">Use was not measured.</p>
      )}
      {budget.length > 0 && <Bar size="budget" parts={budget} whole={whole} mark={limit} label="Requested by region" />}
      {beyond && <p class="note">The limit, {formatBytes(limit)}, is far beyond this scale.</p>}
    </div>
  );
}

export function ContainerLegend() {
  const key = (look: string, title: string) => (
    <span class="key">
      <i class={`dot ${look}`} />
      {title}
    </span>
  );
  return (
    <p class="legend">
      <span class="key strong">Upper bar, in use at the peak:</span>
      {key('jvm', 'JVM')}
      {key('python', 'Python')}
      {key('program', 'programs')}
      {key('other', 'in no process')}
      <span class="key">
        <i class="tick" />
        limit
      </span>
      <br />
      <span class="key strong">Lower bar, requested:</span>
      {key('region-reserved', 'heap reserved')}
      {key('region-storage', 'storage')}
      {key('region-execution', 'execution')}
      {key('region-user', 'user')}
      {key('region-overhead', 'overhead')}
      {key('region-offheap', 'off-heap')}
      {key('region-pyspark', 'pyspark')}
    </p>
  );
}
