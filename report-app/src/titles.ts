// How code is called: the same as in the terminal (common/report/titles.cc); a test runs both on the same frames.
import type {Frame, Stage, Udf} from './model';

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function fileTitle(path: string): string {
  for (const root of ['/site-packages/', '/dist-packages/']) {
    const at = path.lastIndexOf(root);
    if (at >= 0) return path.slice(at + root.length);
  }
  const wheel = path.match(/\/(?:installed_wheels|\.deps)(?=\/).*?\.whl\/(.+)/); // in a PEX file each has a folder of its own
  if (wheel?.[1]) return wheel[1];
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

/** The place with this many folders more than framePlace shows, for files of one name. */
export function longerPlace(frame: Frame, folders: number): string {
  const shown = framePlace({...frame, line: null}).split('/').length;
  const path = frame.file ?? frame.module ?? '';
  const tail = path
    .split('/')
    .slice(-(shown + folders))
    .join('/');
  return place(tail, frame.file ? frame.line : null);
}

// As processes are called in lists: "python-worker", "ffmpeg".
export function processTitle(process: {kind: string; name?: string | null}): string {
  return process.name ?? process.kind;
}

export function udfTitle(udf: Udf & {ofPySpark?: boolean}): string {
  return udf.udf ?? (udf.ofPySpark ? 'PySpark' : 'outside any UDF');
}

// The frame that a site is known by.
export function leadFrame(site: {frames: Frame[]; lead: number | null}): Frame | undefined {
  return site.lead === null ? undefined : site.frames[site.lead];
}

export function stageKey(stage: Stage): string {
  return `${stage.stageId}.${stage.attempt}`;
}

// The driver's own Python process has a row among the stages, with a number that no stage of Spark's has.
export function isDriversPython(stage: {stageId: number}): boolean {
  return stage.stageId < 0;
}

export function stageTitle(stage: Stage): string {
  return stageTitleOfKey(stageKey(stage));
}

// "2.0": the title of a stage that may have no row.
export function stageTitleOfKey(key: string): string {
  return isDriversPython({stageId: Number.parseInt(key, 10)}) ? 'The driver’s Python' : `Stage ${key.replace(/\.0$/, '')}`;
}

export function executorTitle(id: string): string {
  return id === 'driver' ? 'The driver' : `Executor ${id}`;
}
