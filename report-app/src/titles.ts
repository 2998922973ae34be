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
export function isDriversPython(stage: Stage): boolean {
  return stage.stageId < 0;
}

export function stageTitle(stage: Stage): string {
  if (isDriversPython(stage)) return 'The driver’s Python';
  return `Stage ${stage.attempt === 0 ? stage.stageId : stageKey(stage)}`;
}

export function executorTitle(id: string): string {
  return id === 'driver' ? 'The driver' : `Executor ${id}`;
}
