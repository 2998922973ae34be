// Stacks merged into a tree. As in the exports (docs/report.md), the stage is the outermost frame (unless the reader
// merges stages), and what a stage could not
// list is one frame of its own, so that allocated bytes add up to the report's totals.
import {ORIGIN_TITLES} from './digest';
import type {Frame, Language, Site, Stage} from './model';
import {framePlace, frameTitle, stageContent, stageTitle, udfTitle} from './titles';

export type Measure = 'allocated' | 'live';
export type Kind = Language | 'part';

export interface FlameNode {
  name: string;
  place: string;
  kind: Kind;
  value: number; // this frame and all above it
  self: number;
  children: FlameNode[];
  index: Map<string, FlameNode>;
}

function node(name: string, place: string, kind: Kind): FlameNode {
  return {name, place, kind, value: 0, self: 0, children: [], index: new Map()};
}

function child(parent: FlameNode, name: string, place: string, kind: Kind): FlameNode {
  const key = `${kind}\n${name}\n${place}`;
  let found = parent.index.get(key);
  if (!found) {
    found = node(name, place, kind);
    parent.index.set(key, found);
    parent.children.push(found);
  }
  return found;
}

function weight(site: Site, measure: Measure): number {
  return measure === 'live' ? (site.liveAtPeakBytes ?? 0) : site.allocatedBytes;
}

function add(path: FlameNode[], bytes: number): void {
  for (const step of path) step.value += bytes;
  (path[path.length - 1] as FlameNode).self += bytes;
}

export interface Levels {
  stages: boolean;
  udfs: boolean;
}

export function flameTree(stages: Stage[], measure: Measure, levels: Levels): FlameNode {
  const root = node(measure === 'live' ? 'Live at peak' : 'Allocated', '', 'part');
  for (const stage of stages) {
    const outer = levels.stages ? [root, child(root, stageTitle(stage), stageContent(stage), 'part')] : [root];
    const top = outer[outer.length - 1] as FlameNode;
    for (const site of stage.sites) {
      const bytes = weight(site, measure);
      if (bytes <= 0) continue;
      const path = [...outer];
      if (levels.udfs && site.udf) path.push(child(top, `UDF ${udfTitle(site)}`, '', 'part'));
      for (const frame of site.frames) path.push(child(path[path.length - 1] as FlameNode, ...named(frame)));
      add(path, bytes);
    }
    for (const rest of stage.remainders ?? []) {
      const bytes = measure === 'live' ? (rest.liveAtPeakBytes ?? 0) : rest.allocatedBytes;
      if (bytes > 0) add([...outer, child(top, 'sites without a row', ORIGIN_TITLES[rest.origin] ?? rest.origin, 'part')], bytes);
    }
  }
  const sort = (each: FlameNode) => {
    each.children.sort((a, b) => b.value - a.value);
    each.children.forEach(sort);
  };
  sort(root);
  return root;
}

function named(frame: Frame): [string, string, Kind] {
  return [frameTitle(frame), framePlace(frame), frame.language];
}
