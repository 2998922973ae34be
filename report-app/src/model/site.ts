// Memory by site, line and operator.
import type {UdfShare} from './stage';

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
  residentInPart?: boolean; // a lower bound
  residentLaterBytes?: number; // of it: first seen after the peak
  liveAtEndBytes?: Bytes;
  sampled: boolean;
  errorBytes: Bytes;
}

export interface Site extends Udf, Figures {
  origin: Origin;
  udfKind: string | null;
  retainedBytes: Bytes; // a lower bound: of executors that know it
  stageId?: number; // in a post-mortem, whose sites are of several stages
  thread?: string; // in a post-mortem: who allocated it, where no task did
  leftByEarlierTasks?: boolean; // in a post-mortem: in the Python workers of the tasks that ran
  residentAgeMs?: number; // in a post-mortem: how long before the death pages were last looked up
  ofPySpark?: boolean; // no UDF's: PySpark's worker does it by itself
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
  ofPySpark?: boolean; // as of a site; of all of its sites
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
  otherErrorTasks?: number; // with errors that are not among these
}
