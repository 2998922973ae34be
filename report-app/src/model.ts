// The report as docs/report.schema.json describes it. Null: not measured. Keys that older reports lack are optional; words (verdict,
// tones, titles, places) are there in every report that reaches a page: the library writes them.
import type {Bytes, Sum, Tone} from './model/site';
import type {Stage} from './model/stage';
import type {Executor} from './model/executor';
import type {Finding, Leak, OtherDeath, PostMortem} from './model/death';
import type {Broadcast, CachedData, Driver} from './model/driver';

export type * from './model/site';
export type * from './model/stage';
export type * from './model/executor';
export type * from './model/death';
export type * from './model/driver';

export interface ThreadBytes {
  thread: string;
  bytes: number;
}

export interface Report {
  schemaVersion: number;
  unfinished: boolean;
  application: {
    id: string | null;
    name: string | null;
    sparkVersion: string | null;
    pythonVersion: string | null;
    master?: string | null;
    startedMs?: number | null;
    endedMs?: number | null;
  };
  verdict: {tone: Tone; sentence: string; because: string; unmeasured?: string};
  sampling?: {jvmIntervalBytes: Bytes; pythonIntervalBytes: Bytes};
  executors: Executor[];
  stages: Stage[];
  otherExecutors?: {executors: number; largestUsedBytes: Bytes} | null;
  otherStages?: {stages: number; tasks: number; otherAttempts: number; totals: Sum[]} | null;
  leaks?: Leak[];
  postMortems: PostMortem[];
  otherDeaths?: OtherDeath[];
  findings?: Finding[];
  cachedData?: CachedData[];
  broadcasts?: Broadcast[];
  driver?: Driver | null;
  counters: Record<string, number>;
  counterGroups: {
    bounds: {name: string; value: number}[];
    outsideTasks: ThreadBytes[];
    outsideTasksOffHeap: ThreadBytes[];
    outsideTasksNative: ThreadBytes[];
    outsideTasksPython: ThreadBytes[];
  }; // of the counters
  notAvailable: {what: string; why: string}[];
}

const SCHEMA_VERSION = 1;

// What is wrong with a text that should be a report, as a sentence for the reader; or the report.
export function readReport(text: string): Report | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The report inside this page is cut off or damaged.';
  }
  const report = value as Partial<Report> | null;
  if (typeof report !== 'object' || report === null || typeof report.schemaVersion !== 'number') {
    return 'What was read is not a report of sparkmemprof.';
  }
  if (report.schemaVersion !== SCHEMA_VERSION) {
    return `This report was written by another version of sparkmemprof (schema ${report.schemaVersion}, this page reads ${SCHEMA_VERSION}).`;
  }
  if (!Array.isArray(report.executors) || !Array.isArray(report.stages) || !Array.isArray(report.postMortems)) {
    return 'The report lacks its executors, stages or post-mortems: it is damaged.';
  }
  return report as Report;
}
