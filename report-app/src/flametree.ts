// Stacks merged into a tree. As in the exports (docs/report.md), the stage is the outermost frame (unless the reader merges stages),
// and sites that a stage could not list are one frame, so that allocated bytes add up to the report's totals.
import {ORIGIN_TITLES} from './digest';
import type {Frame, Language, Site, Stage} from './model';
import {framePlace, frameTitle, stageTitle, udfTitle} from './titles';

export type Measure = 'allocated' | 'live';
export type Kind = Language | 'part';

export interface FlameNode {
  name: string;
  place: string;
  kind: Kind;
  value: number; // this frame and all above it
  self: number;
  other: number; // the same frame's value in the other run
  children: FlameNode[];
  index: Map<string, FlameNode>;
}

function node(name: string, place: string, kind: Kind): FlameNode {
  return {name, place, kind, value: 0, self: 0, other: 0, children: [], index: new Map()};
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

interface Shape {
  stages: boolean; // a level of its own
  udfs: boolean;
  lines: boolean; // whether lines are separate frames; an edit of the code moves lines
}

export function flameTree(stages: Stage[], measure: Measure, shape: Shape): FlameNode {
  const root = node(measure === 'live' ? 'Live at peak' : 'Allocated', '', 'part');
  for (const stage of stages) {
    const outer = shape.stages ? [root, child(root, stageTitle(stage), stage.title, 'part')] : [root];
    const top = outer[outer.length - 1] as FlameNode;
    for (const site of stage.sites) {
      const bytes = weight(site, measure);
      if (bytes <= 0) continue;
      const path = [...outer];
      if (shape.udfs && site.udf) path.push(child(top, `UDF ${shape.lines ? udfTitle(site) : (site.udfName ?? site.udf)}`, '', 'part'));
      for (const frame of site.frames) path.push(child(path[path.length - 1] as FlameNode, ...named(frame, shape.lines)));
      add(path, bytes);
    }
    for (const rest of stage.remainders ?? []) {
      const bytes = measure === 'live' ? (rest.liveAtPeakBytes ?? 0) : rest.allocatedBytes;
      if (bytes > 0) add([...outer, child(top, 'sites without a place of their own', ORIGIN_TITLES[rest.origin] ?? rest.origin, 'part')], bytes);
    }
  }
  const sort = (each: FlameNode) => {
    each.children.sort((a, b) => b.value - a.value);
    each.children.forEach(sort);
  };
  sort(root);
  return root;
}

function named(frame: Frame, lines: boolean): [string, string, Kind] {
  return [frameTitle(frame), framePlace(lines ? frame : {...frame, line: null}), frame.language];
}

/** Sets each frame's value in another run's tree (`other`); returns the largest change of any frame. */
export function compareTrees(tree: FlameNode, other: FlameNode | undefined): number {
  tree.other = other?.value ?? 0;
  let largest = Math.abs(tree.value - tree.other);
  for (const [key, each] of tree.index) largest = Math.max(largest, compareTrees(each, other?.index.get(key)));
  return largest;
}
