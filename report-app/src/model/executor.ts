// Executors and their processes.
import type {Bytes, Frame, Origin, Row, Tone} from './site';
import type {SparkPool} from './stage';

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
  startTicks?: number | null; // of its start: with the pid its name
  kind: string;
  name?: string | null; // of a program
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
  startTicks?: number | null; // of its start: with the pid its name
  kind: string;
  name?: string | null;
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
  sharedBytes?: Bytes;
  sharedAgeMs?: number | null;
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
  percent?: number | null; // of the executor's time
  longestMs: number;
  longestBeforeBytes?: number;
  longestAfterBytes?: number;
  lastBeforeBytes?: number;
  lastAfterBytes?: number;
  causes: {cause: string; collections: number}[];
}

export interface LeftSite {
  origin: Origin;
  bytes: number;
  blocks: number;
  errorBytes: Bytes;
  stageId: number | null;
  thread: string | null;
  frames: Frame[];
  lead: number | null;
}

export interface OffHeapOfNoTask {
  timeMs: number;
  totalBytes: number;
  sites: LeftSite[];
  otherBytes: number;
}

export interface HeapUse {
  bytes: number;
  collection: string;
  timeMs: number;
  wholeHeap: boolean;
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

export interface Swap {
  peakBytes: number;
  besideJvmBytes: number;
  leftBytes: number;
}

export interface Executor {
  id: string;
  host: string | null;
  cores?: number | null;
  limitBytes: Bytes;
  limitSource: 'cgroup' | 'spark' | 'host' | null;
  limitShared?: boolean;
  limitEnforced?: boolean;
  limitUnseen?: boolean;
  killsItselfOnOutOfMemory?: boolean;
  limitPhrase: string;
  tone: Tone;
  requestedBytes: Bytes;
  hostMemoryBytes?: Bytes;
  hostIsGroup?: boolean;
  swap?: Swap | null;
  heapMaxBytes?: Bytes;
  heapAfterGc?: HeapUse | null;
  heapAfterGcPeak?: HeapUse | null;
  directPeakBytes?: Bytes;
  regions: Region[];
  sparkMemory?: SparkPool[];
  unrollPeakBytes?: Bytes; // of storage
  processes: Process[];
  atPeak: Moment | null;
  timeline?: TimeLine | null;
  retained?: Retained | null;
  offHeapOfNoTask?: OffHeapOfNoTask | null;
  nativeOfNoTask?: OffHeapOfNoTask | null;
  nearlyFullHeap?: HeapShortage | null;
  gc?: Collector[];
  gcStoppedMs?: number | null;
  gcPercent?: number | null; // of its time
  addedMs?: number | null;
  removedMs?: number | null;
  removedReason: string | null;
  javaVersion?: string | null;
  agentLoaded?: string | null;
}
