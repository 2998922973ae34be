// How code is called: the same as in the terminal (common/report/titles.cc, digest.cc).
import type {Action, Frame, Line, Site, SiteGroup, Stage, Udf} from './model';

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function fileTitle(path: string): string {
  for (const root of ['/site-packages/', '/dist-packages/']) {
    const at = path.lastIndexOf(root);
    if (at >= 0) return path.slice(at + root.length);
  }
  for (const archive of ['.zip/', '.egg/', '.jar/']) {
    const at = path.indexOf(archive);
    if (at >= 0) return baseName(path.slice(0, at)) + path.slice(at);
  }
  const name = baseName(path);
  if (name !== '__init__.py' || name === path) return name;
  return `${baseName(path.slice(0, -name.length - 1))}/${name}`;
}

function moduleTitle(path: string): string {
  const name = baseName(path);
  const tag = name.indexOf('.cpython-');
  return tag >= 0 && name.endsWith('.so') ? name.slice(0, tag) + '.so' : name;
}

function place(file: string, line: number | null | undefined): string {
  if (!line) return file;
  return file.startsWith('notebook cell ') ? `${file}, line ${line}` : `${file}:${line}`;
}

// "org.apache.spark.sql.Foo.bar" -> "Foo.bar".
function shortJavaName(name: string): string {
  return name.replace(/^(?:[^./A-Z][^./]*[./])+/, '');
}

export function frameTitle(frame: Frame): string {
  if (frame.language === 'java') {
    const name = frame.function ?? '?';
    return shortJavaName(!frame.module || name.includes('.') ? name : `${frame.module}.${name}`);
  }
  if (frame.function) return frame.function;
  if (frame.offset !== undefined) return `${moduleTitle(frame.module ?? '?')}+0x${frame.offset.toString(16)}`;
  return '?';
}

export function framePlace(frame: Frame): string {
  if (frame.file) return place(fileTitle(frame.file), frame.line);
  return frame.language === 'native' && frame.module ? moduleTitle(frame.module) : '';
}

export function udfTitle(udf: Udf): string {
  if (!udf.udf) return 'outside any UDF';
  const name = udf.udfName ?? udf.udf;
  return udf.udfFile ? `${name} (${place(fileTitle(udf.udfFile), udf.udfLine)})` : name;
}

export function linePlace(line: {file: string | null; line: number | null}): string {
  return line.file ? place(fileTitle(line.file), line.line) : 'native threads';
}

const HELPERS = ['java.', 'jdk.', 'sun.', 'scala.', 'io.netty.', 'org.apache.spark.unsafe.'];

// The frame that a site of the JVM is known by: the innermost that does more than hand memory out.
export function leadFrame(site: {frames: Frame[]}): Frame | undefined {
  const innermostFirst = [...site.frames].reverse();
  const helps = (frame: Frame) =>
    frame.language === 'java' && HELPERS.some((prefix) => (frame.module ?? '').startsWith(prefix) || (frame.function ?? '').startsWith(prefix));
  return innermostFirst.find((frame) => !helps(frame)) ?? innermostFirst[0];
}

// The user's innermost Python line of a site, else the innermost one.
export function leadLine(site: Site): Frame | undefined {
  const python = [...site.frames].reverse().filter((frame) => frame.language === 'python');
  const installed = /\/site-packages\/|\/dist-packages\/|\/lib\/python3\.|pyspark\/|^<frozen /;
  return python.find((frame) => !installed.test(frame.file ?? '')) ?? python[0];
}

const PLUMBING = ['libffi', '_ctypes', 'libpython', 'python3'];

function isPlumbing(frame: Frame): boolean {
  if (frame.file?.startsWith('<frozen ')) return true;
  return frame.language === 'native' && PLUMBING.some((name) => baseName(frame.module ?? '').startsWith(name));
}

export interface Path {
  steps: string[];
  place: string; // of the last frame, where that is native
  native: boolean;
  site: Site;
}

// What lies between a line and its allocations, heaviest first. Sites that would read the same are named once.
export function pathsOf(line: Line, group: SiteGroup): Path[] {
  const paths: Path[] = [];
  for (const index of line.sites) {
    const site = group.sites[index];
    if (!site) continue;
    let below = site.frames.length;
    while (below > 0) {
      const frame = site.frames[below - 1] as Frame;
      if (frame.language === 'python' && frame.line === line.line && frame.file === line.file && frame.function === line.function) break;
      --below;
    }
    const rest = site.frames.slice(below);
    const steps = rest.filter((frame) => !isPlumbing(frame)).map((frame) => (frame.function === '<module>' ? framePlace(frame) : frameTitle(frame)));
    const last = rest[rest.length - 1];
    const native = last?.language === 'native';
    const path = {steps, place: last && native ? framePlace(last) : '', native, site};
    if (!paths.some((known) => known.steps.join() === steps.join())) paths.push(path);
  }
  return paths;
}

// The first two, "…", the last: what was called, and what allocated.
export function shortened(steps: string[]): string {
  return (steps.length > 4 ? [steps[0], steps[1], '…', steps[steps.length - 1]] : steps).join(' › ');
}

export function stageKey(stage: Stage): string {
  return `${stage.stageId}.${stage.attempt}`;
}

// The driver's own Python process has a row among the stages, with a number that no stage of Spark's has.
export function isDriversPython(stage: Stage): boolean {
  return stage.stageId < 0;
}

export function stageTitle(stage: Stage): string {
  if (isDriversPython(stage)) return 'The driver’s Python';
  return stage.attempt === 0 ? `Stage ${stage.stageId}` : `Stage ${stage.stageId}, attempt ${stage.attempt}`;
}

// The UDFs of the stage's heaviest lines, else what Spark calls it.
export function stageContent(stage: Stage): string {
  const titles = new Set<string>();
  for (const group of [stage, stage.otherAttempts]) {
    for (const line of group.lines ?? []) if (line.udf) titles.add(udfTitle(line));
  }
  if (titles.size === 0) return stage.name ?? '';
  const named = [...titles].slice(0, 3).join(', ');
  return titles.size > 3 ? named + ', …' : named;
}

// "toPandas at job.py:17"; "count" where Spark doesn't know the line.
export function actionTitle(action: Action): string {
  const called = action.function ?? action.callSite?.split(' at ', 1)[0] ?? 'action';
  return action.file === null ? called : `${called} at ${linePlace(action)}`;
}

export function actionWhich(action: Action): string {
  return action.queryId !== null ? `query ${action.queryId}` : `job ${action.jobs[0] ?? '?'}`;
}

export function executorTitle(id: string): string {
  return id === 'driver' ? 'Driver' : `Executor ${id}`;
}
