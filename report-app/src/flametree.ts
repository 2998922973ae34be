// Stacks merged into a tree. As in the exports (docs/report.md), the stage is the outermost frame (unless the reader merges stages),
// and sites that a stage could not list are one frame, so that allocated bytes add up to the report's totals.
import {ORIGIN_TITLES} from './digest';
import type {Frame, Language, Report, Site, Stage, Sum} from './model';
import {framePlace, frameTitle, longerPlace, stageTitle, udfTitle} from './titles';

export type Measure = 'allocated' | 'live';
export type Kind = Language | 'part';

export interface FlameNode {
  name: string;
  place: string;
  kind: Kind;
  of: Frame | null; // a code's first frame here
  looks: string; // what may be the same for two files of one name
  value: number; // this frame and all above it
  self: number;
  other: number; // the same frame's value in the other run
  children: FlameNode[];
  index: Map<string, FlameNode>;
}

function node(name: string, place: string, kind: Kind, of: Frame | null = null): FlameNode {
  return {name, place, kind, of, looks: `${kind}\n${name}\n${place}`, value: 0, self: 0, other: 0, children: [], index: new Map()};
}

// A native module keeps the folder that the cluster has made for one executor: the same library is in another one on each node.
const CLUSTERS_FOLDER = /^.*(?:\/usercache\/.*\/filecache\/\d+|\/container_[^/]*|\/userFiles-[^/]*)\//;

function pathOf(frame: Frame | null): string {
  if (!frame) return '';
  return frame.file ?? (frame.language === 'native' ? (frame.module ?? '').replace(CLUSTERS_FOLDER, '') : '');
}

function child(parent: FlameNode, name: string, place: string, kind: Kind, of: Frame | null = null): FlameNode {
  const key = `${kind}\n${name}\n${place}\n${pathOf(of)}`;
  let found = parent.index.get(key);
  if (!found) {
    found = node(name, place, kind, of);
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

/** Whether a stage has anything to draw: of one whose stacks were all cut, what they came to. */
export function hasStacks(stage: Stage): boolean {
  return stage.sites.length > 0 || (stage.remainders ?? []).length > 0;
}

function addRest(rests: Sum[], measure: Measure, outer: FlameNode[]): void {
  for (const rest of rests) {
    const bytes = measure === 'live' ? (rest.liveAtPeakBytes ?? 0) : rest.allocatedBytes;
    if (bytes <= 0) continue;
    const top = outer[outer.length - 1] as FlameNode;
    add([...outer, child(top, 'sites without a place of their own', ORIGIN_TITLES[rest.origin] ?? rest.origin, 'part')], bytes);
  }
}

/** `others`: the stages without a row, which are one; null where a single stage is drawn. */
export function flameTree(stages: Stage[], others: Report['otherStages'], measure: Measure, shape: Shape): FlameNode {
  const root = node(measure === 'live' ? 'Live at peak' : 'Allocated', '', 'part');
  for (const stage of stages) {
    const outer = shape.stages ? [root, child(root, stageTitle(stage), stage.title, 'part')] : [root];
    const top = outer[outer.length - 1] as FlameNode;
    for (const site of stage.sites) {
      const bytes = weight(site, measure);
      if (bytes <= 0) continue;
      const path = [...outer];
      if (shape.udfs && site.udf) path.push(child(top, `UDF ${shape.lines ? udfTitle(site) : (site.udfName ?? site.udf)}`, '', 'part', udfFrame(site)));
      for (const frame of site.frames) path.push(child(path[path.length - 1] as FlameNode, ...named(frame, shape.lines)));
      add(path, bytes);
    }
    addRest(stage.remainders ?? [], measure, outer);
  }
  if (others) addRest(others.totals, measure, shape.stages ? [root, child(root, 'Other stages', 'without a row', 'part')] : [root]);
  const finish = (each: FlameNode) => {
    each.children.sort((a, b) => b.value - a.value);
    for (const alike of byLooks(each.children).values()) tellApart(alike);
    each.children.forEach(finish);
  };
  finish(root);
  return root;
}

function named(frame: Frame, lines: boolean): [string, string, Kind, Frame] {
  const of = lines ? frame : {...frame, line: null};
  return [frameTitle(of), framePlace(of), of.language, of];
}

function udfFrame(site: Site): Frame | null {
  return site.udfFile ? {language: 'python', function: null, file: site.udfFile, line: null, module: null} : null;
}

function byLooks(nodes: FlameNode[]): Map<string, FlameNode[]> {
  const groups = new Map<string, FlameNode[]>();
  for (const each of nodes) groups.set(each.looks, [...(groups.get(each.looks) ?? []), each]);
  return groups;
}

// Files of one name in different folders: their places get as many folders as differ.
function tellApart(alike: FlameNode[]): void {
  if (alike.length < 2) return;
  const deepest = Math.max(...alike.map((each) => pathOf(each.of).split('/').length));
  for (let folders = 0; folders < deepest; ++folders) {
    const places = alike.map((each) => (each.of ? longerPlace(each.of, folders) : each.place));
    alike.forEach((each, i) => (each.place = places[i] as string));
    if (new Set(places).size === alike.length) return;
  }
}

// The same frames of another run. A file may lie in another folder there, such as a container's: then by its name, if no other has it.
function partners(tree: FlameNode, other: FlameNode): Map<FlameNode, FlameNode> {
  const found = new Map<FlameNode, FlameNode>();
  for (const [key, each] of tree.index) {
    const same = other.index.get(key);
    if (same) found.set(each, same);
  }
  const taken = new Set(found.values());
  const left = byLooks(other.children.filter((each) => !taken.has(each)));
  for (const [looks, alike] of byLooks(tree.children.filter((each) => !found.has(each)))) {
    const others = left.get(looks) ?? [];
    if (alike.length === 1 && others.length === 1) found.set(alike[0] as FlameNode, others[0] as FlameNode);
  }
  return found;
}

/** Sets each frame's value in another run's tree (`other`); returns the largest change of any frame. */
export function compareTrees(tree: FlameNode, other: FlameNode | undefined): number {
  tree.other = other?.value ?? 0;
  let largest = Math.abs(tree.value - tree.other);
  const same = other ? partners(tree, other) : new Map<FlameNode, FlameNode>();
  for (const each of tree.children) largest = Math.max(largest, compareTrees(each, same.get(each)));
  return largest;
}
