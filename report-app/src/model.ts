// The report as docs/report.schema.json describes it. Null: not measured. Keys that older reports lack are optional.

export type Bytes = number | null;
export type Origin = 'python' | 'jvm-heap' | 'jvm-offheap' | 'jvm-native';
export type Language = 'python' | 'native' | 'java' | 'unknown';

export interface Row {
  name: string;
  bytes: number;
}

export interface Frame {
  language: Language;
  function: string | null;
  file: string | null;
  line: number | null;
  module: string | null;
  offset?: number;
  buildId?: string | null;
}

export interface Udf {
  udf: string | null;
  udfKind?: string | null;
  udfName?: string | null;
  udfFile?: string | null;
  udfLine?: number | null;
}

export interface Figures {
  tasks: number;
  allocatedBytes: number;
  allocations: number;
  liveAtPeakBytes: Bytes;
  residentAtPeakBytes: Bytes;
  liveAtEndBytes?: Bytes;
  sampled: boolean;
  errorBytes: Bytes;
}

export interface Site extends Udf, Figures {
  origin: Origin;
  retainedBytes: Bytes;
  stageId?: number | null;
  frames: Frame[];
}

export interface Line extends Udf, Figures {
  function: string | null;
  file: string | null;
  line: number | null;
  source?: string | null;
  sites: number[];
}

export interface Sum {
  origin: Origin;
  sites: number;
  allocatedBytes: number;
  allocations: number;
  liveAtPeakBytes: Bytes;
}

export interface SiteGroup {
  sites: Site[];
  lines?: Line[];
  remainders?: Sum[];
  totals?: Sum[];
  arrowPoolPeakBytes?: Bytes;
  arrowPoolEndBytes?: Bytes;
  arrowPoolGrowthBytes?: Bytes;
}

export interface OtherAttempts extends SiteGroup {
  tasks: number;
  failed?: number;
  killed?: number;
  lost?: number;
  superseded?: number;
  unknown?: number;
  errors?: {message: string; tasks: number}[];
}

export interface Stage extends SiteGroup {
  stageId: number;
  attempt: number;
  name: string | null;
  callSite: string | null;
  status?: 'running' | 'complete' | 'failed' | 'unknown';
  failureReason?: string | null;
  submittedMs?: number | null;
  completedMs?: number | null;
  partitions?: number | null;
  tasks: number;
  profiledTasks?: number;
  partialTasks?: number;
  otherAttempts: OtherAttempts;
}

export interface Region {
  name: string;
  budgetBytes: Bytes;
  peakBytes: Bytes;
}

// What a profiled Python process holds beside its tasks' own data.
export interface Baseline {
  startRssBytes: number;
  firstTaskRssBytes: Bytes;
  modules: {name: string; liveBytes: number; withImportsBytes: number}[];
}

export interface Process {
  pid: number;
  kind: string;
  peakRssBytes: number;
  peakRows: Row[];
  unattributedBytes: number;
  lastTaskAttemptId?: number | null;
  peakRowsRssBytes?: Bytes;
  alive?: boolean;
  baseline?: Baseline | null;
}

export interface ProcessAtMoment {
  pid: number;
  kind: string;
  bytes: number;
  rows: Row[];
  unattributedBytes: number;
}

export interface Moment {
  timeMs: number;
  usedBytes: number;
  regions: Row[];
  processes: ProcessAtMoment[];
  activeTasks?: number[];
  unattributedBytes: number;
}

export interface Executor {
  id: string;
  host: string | null;
  cores?: number | null;
  limitBytes: Bytes;
  limitSource: 'cgroup' | 'spark' | 'host' | null;
  limitShared?: boolean;
  limitEnforced?: boolean;
  requestedBytes: Bytes;
  hostMemoryBytes?: Bytes;
  heapMaxBytes?: Bytes;
  heapUsedPeakBytes?: Bytes;
  directPeakBytes?: Bytes;
  regions: Region[];
  processes: Process[];
  atPeak: Moment | null;
  addedMs?: number | null;
  removedMs?: number | null;
  removedReason: string | null;
  javaVersion?: string | null;
}

export interface Advice {
  conf: string | null;
  from: string | null;
  to: string | null;
  because: string;
}

export interface PostMortem {
  executorId: string;
  process: string;
  pid: number | null;
  exitCode: number | null;
  how: string;
  headline: string;
  reason?: string | null;
  outOfMemory: boolean;
  timeMs?: number;
  limitBytes: Bytes;
  usedBytes: Bytes;
  lastSampleAgeMs: number | null;
  stack?: Frame[];
  processes?: ProcessAtMoment[];
  stageId: number | null;
  taskAttemptId: number | null;
  sites: Site[];
  advice: Advice[];
}

export interface Leak extends Udf {
  function: string | null;
  file: string | null;
  line: number | null;
  workers: number;
  liveBytes: number;
  largest: {
    executorId: string;
    pid: number;
    tasks: number;
    tasksWithBytes: number;
    perTaskBytes: number;
    perTaskLowBytes: number;
    perTaskHighBytes: number;
    liveBytes: number;
  };
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
  sampling?: {jvmIntervalBytes: Bytes; pythonIntervalBytes: Bytes};
  executors: Executor[];
  stages: Stage[];
  otherExecutors?: {executors: number; largestUsedBytes: Bytes} | null;
  otherStages?: {stages: number; tasks: number; otherAttempts: number; totals: Sum[]} | null;
  leaks?: Leak[];
  postMortems: PostMortem[];
  counters: Record<string, number>;
  notAvailable: {what: string; why: string}[];
}

export const SCHEMA_VERSION = 1;

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
