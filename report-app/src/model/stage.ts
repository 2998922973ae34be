// Stages and their tasks.
import type {Bytes, Figures, OtherAttempts, SiteGroup, Tone, Udf} from './site';

export type MemoryMode = 'onHeap' | 'offHeap';

// Of Spark's execution memory, what one class of consumers held in one task.
export interface MemoryConsumer {
  name: string;
  title: string; // the class in short
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
  | 'spilledMemoryBytes'
  | 'pythonKeptBytes'
  | 'heapOfBroadcastsBytes';

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
  tone: Tone;
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
  gcPercent?: number | null; // of its counted tasks' time
  taskRows?: TaskRows;
  sparkMemory?: StageMemory;
  otherAttempts: OtherAttempts;
}
