// What comes first and in which order (common/report/digest.cc says it for the terminal).
import type {Action, Advice, Executor, Line, Report, Site, Stage, Sum, Origin, SiteGroup} from './model';
import {executorTitle} from './titles';
import {formatBytes, formatPercent, plural} from './units';

export function useOf(executor: Executor): number {
  return executor.atPeak && executor.limitBytes ? executor.atPeak.usedBytes / executor.limitBytes : -1;
}

export function executorsByUse(report: Report): Executor[] {
  return [...report.executors].sort((a, b) => useOf(b) - useOf(a));
}

// "requested, not enforced".
export function limitPhrase(executor: Executor): string {
  if (executor.limitSource === 'cgroup') return executor.limitShared ? 'cgroup limit, shared with other executors' : 'cgroup limit';
  if (executor.limitSource === 'host') return 'physical memory of the host';
  if (executor.limitSource === 'spark') return executor.limitEnforced ? 'requested by Spark' : 'requested, not enforced';
  return '';
}

function limitSentence(executor: Executor): string {
  switch (executor.limitSource) {
    case 'cgroup':
      return `That limit is its cgroup’s${executor.limitShared ? ', which it shares with other executors' : ''}: the kernel kills beyond it.`;
    case 'host':
      return 'That limit is the physical memory of the host.';
    case 'spark':
      return executor.limitEnforced
        ? 'That limit is what Spark requested of the cluster manager.'
        : 'That limit is what Spark requested; nobody enforces it here, so nothing is killed for passing it.';
    default:
      return 'Where that limit comes from is not known.';
  }
}

export type Tone = 'bad' | 'warn' | 'good' | 'plain';

export function toneOf(executor: Executor): Tone {
  const use = useOf(executor);
  if (executor.limitEnforced && use >= 0.97) return 'bad';
  return use >= 0.85 ? 'warn' : 'plain';
}

export interface Verdict {
  tone: Tone;
  sentence: string;
  because: string;
}

function nameOf(report: Report, executor: Executor): string {
  if (report.application.master === 'program') return 'The program';
  return executor.id === 'driver' ? 'The driver' : executorTitle(executor.id);
}

export function verdictOf(report: Report): Verdict {
  const death = report.postMortems.find((entry) => entry.outOfMemory) ?? report.postMortems[0];
  if (death) {
    return {tone: death.outOfMemory ? 'bad' : 'warn', sentence: death.headline, because: `How this is known: ${death.how}.`};
  }
  const fullest = executorsByUse(report)[0];
  if (!fullest) {
    return report.unfinished
      ? {tone: 'plain', sentence: 'Nothing has been measured yet.', because: 'Executors show up some seconds after they start.'}
      : {tone: 'plain', sentence: 'No executor was seen.', because: 'The driver’s log says why, in a line that begins with sparkmemprof.'};
  }
  const seen = report.unfinished ? 'No death by memory so far.' : 'No death was seen.';
  if (!fullest.atPeak || !fullest.limitBytes) {
    return {tone: 'plain', sentence: seen, because: 'No executor’s use was measured against a limit; About the numbers says why.'};
  }
  const {usedBytes} = fullest.atPeak;
  const share = formatPercent(usedBytes, fullest.limitBytes);
  const verb = report.executors.length > 1 ? 'came closest to its limit' : 'used at most';
  const sentence = `${seen} ${nameOf(report, fullest)} ${verb}: ${formatBytes(usedBytes)} of ${formatBytes(fullest.limitBytes)}, ${share}.`;
  return {tone: toneOf(fullest) === 'plain' ? 'good' : 'warn', sentence: sentence.replace('at most:', 'at most'), because: limitSentence(fullest)};
}

export interface AdviceFor extends Advice {
  deaths: number[]; // indexes into postMortems
}

// Each piece once, however many deaths lead to it.
export function adviceOf(report: Report): AdviceFor[] {
  const found = new Map<string, AdviceFor>();
  report.postMortems.forEach((death, index) => {
    for (const advice of death.advice) {
      const key = JSON.stringify(advice.conf ? [advice.conf, advice.to] : advice.because);
      const known = found.get(key);
      if (known) known.deaths.push(index);
      else found.set(key, {...advice, deaths: [index]});
    }
  });
  return [...found.values()];
}

export interface LineOfStage {
  line: Line;
  stage: Stage;
  group: SiteGroup;
}

export function linesOf(report: Report): LineOfStage[] {
  return report.stages.flatMap((stage) => (stage.lines ?? []).map((line) => ({line, stage, group: stage})));
}

export interface SiteOfStage {
  site: Site;
  stage: Stage;
}

export function jvmSitesOf(stages: Stage[]): SiteOfStage[] {
  return stages.flatMap((stage) => stage.sites.filter((site) => site.origin !== 'python').map((site) => ({site, stage})));
}

export function largest<T>(rows: T[], weight: (row: T) => number | null | undefined): T | undefined {
  let found: T | undefined;
  for (const row of rows) {
    const value = weight(row) ?? 0;
    if (value > 0 && (found === undefined || value > (weight(found) ?? 0))) found = row;
  }
  return found;
}

export function totalOf(group: SiteGroup, origin: Origin): Sum | undefined {
  return group.totals?.find((sum) => sum.origin === origin);
}

export const ORIGIN_TITLES: Record<Origin, string> = {
  python: 'Python and native code below it',
  'jvm-heap': 'JVM heap',
  'jvm-offheap': 'JVM off-heap',
  'jvm-native': 'JVM native memory',
};

// "2 failed, 1 superseded".
export function otherAttemptsPhrase(stage: Stage): string {
  const other = stage.otherAttempts;
  const words: [number | undefined, string][] = [
    [other.failed, 'failed'],
    [other.killed, 'killed'],
    [other.lost, 'lost'],
    [other.superseded, 'superseded'],
    [other.unknown, 'without a reported end'],
  ];
  const told = words.filter(([count]) => count).map(([count, word]) => `${count} ${word}`);
  return told.length > 0 || other.tasks === 0 ? told.join(', ') : plural(other.tasks, 'attempt');
}

// The setting as spark-submit takes it.
export function confArgument(conf: string, value: string): string {
  const setting = `${conf}=${value}`;
  return /^[\w.,:=/+@%-]+$/.test(setting) ? `--conf ${setting}` : `--conf '${setting.replace(/'/g, `'\\''`)}'`;
}

const runners = new WeakMap<Report, Map<number, Action>>();

// The action that ran a stage; of several, the first: the others found its output there already.
export function actionOfStage(report: Report, stageId: number): Action | undefined {
  let map = runners.get(report);
  if (!map) {
    map = new Map();
    for (const action of [...(report.driver?.actions ?? [])].sort((a, b) => a.startedMs - b.startedMs)) {
      for (const stage of action.stages) if (!map.has(stage)) map.set(stage, action);
    }
    runners.set(report, map);
  }
  return map.get(stageId);
}
