// Deaths, growth and what is worth changing.
import type {Bytes, Frame, Site, Tone, Udf} from './site';
import type {ProcessAtMoment, Retained, HeapShortage} from './executor';

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
  startTicks?: number | null;
  exitCode: number | null;
  how: string;
  headline: string;
  reason?: string | null;
  outOfMemory: boolean;
  unknown?: boolean;
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
  sitesOfAttempt?: number | null;
  tone: Tone;
  title: string; // of its sites
  stackTitle: string;
  heapNote?: string; // why its content is a poor witness, or empty
  jobId?: number | null;
  action?: string | null;
  sites: Site[];
  survived?: boolean;
  startedByTask?: boolean;
  program?: string | null;
  retained?: Retained | null;
  heap?: HeapShortage | null;
  advice: Advice[];
}

// One that has no post-mortem of its own, because there are too many.
export interface OtherDeath {
  key: string;
  timeMs: number;
  executorId: string;
  outOfMemory: boolean;
  headline: string;
  survived?: boolean;
}

export interface Leak extends Udf {
  function: string | null;
  file: string | null;
  line: number | null;
  place: string;
  phrase: string; // how it grows
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
