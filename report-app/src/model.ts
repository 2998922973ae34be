// The report as docs/report.schema.json describes it. Null: not measured. Keys that older reports lack are optional; words (verdict,
// tones, titles, places) are there in every report that reaches a page: the library writes them.

export type Bytes = number | null;
export type Origin = 'python' | 'jvm-heap' | 'jvm-offheap' | 'jvm-native';
export type Language = 'python' | 'native' | 'java' | 'unknown';

// How bad something is.
export type Tone = 'plain' | 'good' | 'warn' | 'bad';

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
  udfKind: string | null;
  retainedBytes: Bytes;
  stageId?: number; // in a post-mortem, whose sites are of several stages
  frames: Frame[];
  lead: number | null; // the frame that the site is known by
  operator?: string; // of the JVM's: the part of Spark's engine that it is for
  askedBy?: number; // of the JVM's: the innermost frame that is neither Spark's nor the JDK's
}

export interface Operator {
  operator: string;
  origin: Origin;
  sites: number;
  allocatedBytes: number;
  allocations: number;
}

export interface Line extends Udf, Figures {
  function: string | null;
  file: string | null;
  line: number | null;
  source?: string | null;
  sites: number[];
  place: string;
  paths: Path[];
}

// How a line came to its memory, in short; heaviest first.
export interface Path {
  text: string; // empty: allocated by the line itself
  place: string; // of the last frame, where that is native
  native: boolean;
  site: number;
}

export interface Sum {
  origin: Origin;
  sites: number;
  allocatedBytes: number;
  allocations: number;
  liveAtPeakBytes: Bytes;
}

export interface SiteGroup {
  udfs?: UdfShare[];
  sites: Site[];
  lines?: Line[];
  operators?: Operator[];
  remainders?: Sum[];
  totals?: Sum[];
  arrowPoolPeakBytes?: Bytes;
  arrowPoolEndBytes?: Bytes;
  arrowPoolGrowthBytes?: Bytes;
}

export interface OtherAttempts extends SiteGroup {
  tasks: number;
  phrase: string;
  failed?: number;
  killed?: number;
  lost?: number;
  superseded?: number;
  unknown?: number;
  errors?: {message: string; tasks: number}[];
}

export type MemoryMode = 'onHeap' | 'offHeap';

// Of Spark's execution memory, what one class of consumers held in one task.
export interface MemoryConsumer {
  name: string;
  operation: string | null;
  mode: MemoryMode;
  tasks: number;
  peakBytes: number;
}

// Spark's memory of one mode, at one moment.
export interface PoolMoment {
  mode: MemoryMode;
  maxBytes: number;
  storageRegionBytes: Bytes;
  storageBytes: number;
  executionBytes: number;
}

export interface SparkPool extends PoolMoment {
  lastMs: number;
  storagePoolBytes: number;
  storagePeakBytes: number;
  executionPeakBytes: number;
  storageBorrowedPeakBytes: Bytes;
  executionBorrowedPeakBytes: Bytes;
  unevictablePeakBytes: Bytes;
}

export interface StageMemory {
  consumers: MemoryConsumer[];
  peakExecutionBytes: Bytes;
  spilledMemoryBytes: Bytes;
  spilledDiskBytes: Bytes;
  tasksSpilled: number;
  fullest: PoolMoment[];
}

export type TaskStatus = 'counted' | 'failed' | 'killed' | 'lost' | 'superseded' | 'unknown';
export type TaskFigure =
  | 'durationMs'
  | 'gcMs'
  | 'pythonLiveAtPeakBytes'
  | 'pythonAllocatedBytes'
  | 'heapAllocatedBytes'
  | 'offHeapLiveAtPeakBytes'
  | 'peakExecutionBytes'
  | 'spilledMemoryBytes';

// A stage's tasks, heaviest first; all lists have an entry a task. `known`: how many there were before any was cut.
export type TaskRows = {
  known: number;
  taskAttemptIds: number[];
  partitions: (number | null)[];
  attempts: (number | null)[];
  statuses: TaskStatus[];
  executors: (string | null)[];
  launchedMs: (number | null)[];
} & Record<TaskFigure, (number | null)[]>;

// Of a figure of a stage's counted tasks.
export interface Distribution {
  figure: TaskFigure;
  tasks: number;
  least: number;
  lowerQuartile: number;
  median: number;
  upperQuartile: number;
  largest: number;
  skew: number | null;
}

export interface UdfShare extends Udf, Figures {}

export interface Stage extends SiteGroup {
  stageId: number;
  attempt: number;
  name: string | null;
  title: string; // its UDFs, else its name
  callSite: string | null;
  status?: 'running' | 'complete' | 'failed' | 'unknown';
  failureReason?: string | null;
  submittedMs?: number | null;
  completedMs?: number | null;
  partitions?: number | null;
  tasks: number;
  profiledTasks?: number;
  partialTasks?: number;
  distributions?: Distribution[];
  taskRows?: TaskRows;
  sparkMemory?: StageMemory;
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
  lastTaskAttemptId?: number | null;
}

export interface Moment {
  timeMs: number;
  usedBytes: number;
  regions: Row[];
  processes: ProcessAtMoment[];
  activeTasks?: number[];
  sites: unknown[] | null;
  unattributedBytes: number;
}

// Lists have an entry a sample.
export interface TimeLine {
  timesMs: number[];
  series: {name: string; bytes: Bytes[]}[];
  pressurePercent: (number | null)[] | null;
  runningTasks: number[];
  taskStarts: number[];
  gcPauses?: number[];
  gcStoppedMicros?: number[];
  workers: [pid: number, bytes: number][][];
  stages: [stageId: number, tasks: number][][];
  thinnedSamples: number;
}

export interface RetainedSite {
  origin: Origin;
  retainedBytes: number;
  objects: number;
  errorBytes: Bytes;
  stageId: number | null;
  stageAttempt?: number | null;
  thread: string | null;
  frames: Frame[];
  lead: number | null;
}

export interface Retained {
  timeMs: number;
  collection: string;
  heapUsedAfterBytes: number;
  heapMaxBytes?: Bytes;
  totalBytes: number;
  errorBytes: Bytes;
  sites: RetainedSite[];
  otherSites: number;
  otherBytes: number;
}

export interface Collector {
  collector: string;
  stopsTheWorld: boolean;
  collections: number;
  totalMs: number;
  longestMs: number;
  longestBeforeBytes?: number;
  longestAfterBytes?: number;
  lastBeforeBytes?: number;
  lastAfterBytes?: number;
  causes: {cause: string; collections: number}[];
}

export interface Executor {
  id: string;
  host: string | null;
  cores?: number | null;
  limitBytes: Bytes;
  limitSource: 'cgroup' | 'spark' | 'host' | null;
  limitShared?: boolean;
  limitEnforced?: boolean;
  limitPhrase: string;
  tone: Tone;
  requestedBytes: Bytes;
  hostMemoryBytes?: Bytes;
  heapMaxBytes?: Bytes;
  heapUsedPeakBytes?: Bytes;
  directPeakBytes?: Bytes;
  regions: Region[];
  sparkMemory?: SparkPool[];
  processes: Process[];
  atPeak: Moment | null;
  timeline?: TimeLine | null;
  retained?: Retained | null;
  nearlyFullHeap?: HeapShortage | null;
  gc?: Collector[];
  gcStoppedMs?: number | null;
  addedMs?: number | null;
  removedMs?: number | null;
  removedReason: string | null;
  javaVersion?: string | null;
  agentLoaded?: string | null;
}

export interface Advice {
  conf: string | null;
  from: string | null;
  to: string | null;
  because: string;
}

export interface HeapShortage {
  timeMs: number;
  error: string | null;
  thread: string | null;
  errors: number;
  totalBytes: Bytes;
  totalObjects: number | null;
  cutShort: boolean;
  classes: {name: string; bytes: number; objects: number}[];
  otherClasses: number;
  otherBytes: number;
  regions: {name: string; bytes: number}[];
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
  addressSpace?: {limitBytes: Bytes; virtualBytes: number; residentBytes: number; refusedBytes: number} | null;
  stack?: Frame[];
  processes?: ProcessAtMoment[];
  regions?: {name: string; bytes: Bytes; budgetBytes: Bytes}[];
  stageId: number | null;
  taskAttemptId: number | null;
  jobId?: number | null;
  action?: string | null;
  sites: Site[];
  survived?: boolean;
  retained?: Retained | null;
  heap?: HeapShortage | null;
  advice: Advice[];
}

export interface Leak extends Udf {
  function: string | null;
  file: string | null;
  line: number | null;
  place: string;
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

// What is worth changing although nothing died.
export interface Finding {
  headline: string;
  executorId?: string | null;
  stageId: number | null;
  attempt: number | null;
  advice: Advice[];
}

export interface CachedData {
  rddId: number;
  name: string | null;
  callSite: string | null;
  storageLevel: string | null;
  deserialized: boolean | null;
  mode: MemoryMode | null;
  partitions: number | null;
  blocks: number;
  memoryBytes: number;
  diskBytes: number;
  peakBlocks: number;
  peakMemoryBytes: number;
  peakDiskBytes: number;
  executors: {id: string; memoryBytes: number; diskBytes: number}[];
}

export interface Broadcast {
  id: number;
  bytes: number;
  peakMemoryBytes: number;
  peakDiskBytes: number;
  memoryBytes: number;
  driverPeakBytes?: number;
}

export interface StageResults {
  stageId: number;
  jobId: number;
  purpose: 'result' | 'broadcast';
  tasks: number;
  partitions: number | null;
  resultBytes: number;
  largestResultBytes: number;
}

// A query of Spark SQL with all its jobs, or a job that belongs to none.
export interface Action {
  jobs: number[];
  stages: number[];
  queryId: number | null;
  callSite: string | null;
  title: string; // "toPandas at job.py:17"
  which: string; // "query 3"
  function: string | null;
  file: string | null; // null: Spark doesn't know the line
  line: number | null;
  description: string | null;
  status: string;
  failureReason: string | null;
  startedMs: number;
  endedMs: number | null;
  resultTasks: number;
  resultRows: number | null; // null: no query, or its plan doesn't count them
  resultBytes: number;
  broadcastBytes: number;
  results: StageResults[];
}

export interface Driver {
  maxResultBytes: Bytes;
  actions: Action[];
  otherActions: {actions: number; resultTasks: number; resultBytes: number; broadcastBytes: number} | null;
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
  verdict: {tone: Tone; sentence: string; because: string};
  sampling?: {jvmIntervalBytes: Bytes; pythonIntervalBytes: Bytes};
  executors: Executor[];
  stages: Stage[];
  otherExecutors?: {executors: number; largestUsedBytes: Bytes} | null;
  otherStages?: {stages: number; tasks: number; otherAttempts: number; totals: Sum[]} | null;
  leaks?: Leak[];
  postMortems: PostMortem[];
  findings?: Finding[];
  cachedData?: CachedData[];
  broadcasts?: Broadcast[];
  driver?: Driver | null;
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
