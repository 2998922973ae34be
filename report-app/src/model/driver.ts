// What the driver holds and asked for.
import type {Bytes} from './site';
import type {MemoryMode} from './stage';

export interface CachedData {
  rddId: number;
  name: string | null;
  callSite: string | null;
  storageLevel: string | null;
  deserialized: boolean | null;
  serializer?: string | null; // its class
  mode: MemoryMode | null;
  partitions: number | null;
  blocks: number;
  memoryBytes: number;
  diskBytes: number;
  peakBlocks: number;
  peakPartitions?: number; // that had a block then; more blocks: copies
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
  builtAt: {file: string; line: number}[]; // lines that built its plan, the oldest first
  builtAtPhrase: string; // "job.py:3, 9"; "": not known
  description: string | null;
  status: string; // unknown: it has ended, and Spark did not say how
  failureReason: string | null;
  startedMs: number;
  endedMs: number | null;
  resultTasks: number;
  resultRows: number | null; // null: no query, or its plan doesn't count them
  resultBytes: number;
  broadcastBytes: number;
  broadcastRows: number | null; // likewise
  results: StageResults[];
}

export interface Driver {
  maxResultBytes: Bytes;
  actions: Action[];
  otherActions: {actions: number; resultTasks: number; resultBytes: number; broadcastBytes: number} | null;
}
