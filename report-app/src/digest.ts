// What is shown first and in which order. The words are in the model.
import type {Action, Advice, Executor, Line, OtherDeath, PostMortem, Report, Site, Stage, Sum, Origin, SiteGroup} from './model';
import {strongest} from './strongest';

export function useOf(executor: Executor): number {
  return executor.atPeak && executor.limitBytes ? executor.atPeak.usedBytes / executor.limitBytes : -1;
}

export function executorsByUse(report: Report): Executor[] {
  return [...report.executors].sort((a, b) => useOf(b) - useOf(a));
}

const MOST_BEYOND = 3;

// A limit far beyond all use (a whole machine's memory) would make bars and areas too small to see, so it is only given as text: null.
export function shownLimit(limit: number | null, most: number): number | null {
  return limit !== null && limit <= MOST_BEYOND * most ? limit : null;
}

/** With and without a post-mortem of their own. */
export function allDeaths(report: Report): (PostMortem | OtherDeath)[] {
  return [...report.postMortems, ...(report.otherDeaths ?? [])];
}

/** Of entries among the deaths, in the plural: where memory or results were refused, nobody need have died. */
export function namesOf(entries: (PostMortem | OtherDeath)[]): string {
  const survived = entries.filter((entry) => entry.survived).length;
  return survived === 0 ? 'deaths' : survived === entries.length ? 'refusals' : 'deaths and refusals';
}

// Each piece of advice once, however many deaths lead to it.
export function adviceOf(report: Report): Advice[] {
  return strongest(report.postMortems.flatMap((death) => death.advice));
}

export interface LineOfStage {
  line: Line;
  stage: Stage;
  group: SiteGroup;
}

export function linesOf(report: Report): LineOfStage[] {
  return report.stages.flatMap((stage) => (stage.lines ?? []).map((line) => ({line, stage, group: stage})));
}

interface SiteOfStage {
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

// The setting as spark-submit takes it.
export function confArgument(conf: string, value: string): string {
  const setting = `${conf}=${value}`;
  return /^[\w.,:=/+@%-]+$/.test(setting) ? `--conf ${setting}` : `--conf '${setting.replace(/'/g, `'\\''`)}'`;
}

// An action's stages are also those whose output it reused: they had been submitted before it began.
export function mayHaveRun(action: Action, stage: Stage): boolean {
  return action.stages.includes(stage.stageId) && (stage.submittedMs ?? action.startedMs) >= action.startedMs;
}

const runners = new WeakMap<Report, Map<number, Action>>();

// The action that ran a stage. If several did, the first: the others reused its output. None if that one has no row.
export function actionOfStage(report: Report, stageId: number): Action | undefined {
  let map = runners.get(report);
  if (!map) {
    map = new Map();
    const submitted = new Map<number, number>();
    for (const {stageId: id, submittedMs} of report.stages) {
      if (submittedMs != null) submitted.set(id, Math.min(submittedMs, submitted.get(id) ?? submittedMs));
    }
    for (const action of [...(report.driver?.actions ?? [])].sort((a, b) => a.startedMs - b.startedMs)) {
      for (const stage of action.stages) {
        if (!map.has(stage) && (submitted.get(stage) ?? action.startedMs) >= action.startedMs) map.set(stage, action);
      }
    }
    runners.set(report, map);
  }
  return map.get(stageId);
}
