import type {HierarchyRectangularNode} from 'd3-hierarchy';
import flamegraph, {type FlameGraph} from 'd3-flame-graph';
import {select, type Selection} from 'd3-selection';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {useEnding, type Ending} from '../ending';
import {compareTrees, flameTree, hasStacks, type FlameNode, type Kind, type Measure} from '../flametree';
import type {Report} from '../model';
import {link, type Route} from '../route';
import {stageKey, stageTitle} from '../titles';
import {formatBytes, formatPercent, formatTime, plural} from '../units';

type Node = HierarchyRectangularNode<FlameNode> & {highlight?: boolean};

const EMPTY: Record<Ending, string> = {
  running: 'No task has ended yet: stacks come with the profiles of ended tasks.',
  cut: 'No task had ended when this was written: stacks come with the profiles of ended tasks.',
  whole: 'No stack was sampled; About the numbers says what was not measured.',
};

const CELL = 20;
const KIND_TITLES: Record<Kind, string> = {python: 'Python', native: 'native', java: 'Java', unknown: 'damaged record', part: 'stage, UDF or rest'};

// Which of two runs gives the frames' widths, and the largest change of any frame.
interface Compared {
  widths: 'before' | 'after';
  largest: number;
}

const STEPS = 3; // of colours, in each direction

function changeOf({value, other}: FlameNode, {widths}: Compared): number {
  return widths === 'after' ? value - other : other - value;
}

function lookOfChange(node: Node, compared: Compared): string {
  if (node.highlight) return 'var(--flame-found)';
  const change = changeOf(node.data, compared);
  const step = compared.largest === 0 ? 0 : Math.ceil((STEPS * Math.abs(change)) / compared.largest);
  return step === 0 ? 'var(--flame-same)' : `var(--flame-${change > 0 ? 'more' : 'less'}-${step})`;
}

// "+ 3.1 MiB: 12.0 MiB, before 8.9 MiB"
function toldChange(node: FlameNode, compared: Compared): string {
  const change = changeOf(node, compared);
  const [before, after] = compared.widths === 'after' ? [node.other, node.value] : [node.value, node.other];
  const size = `${formatBytes(after)}, before ${formatBytes(before)}`;
  return change === 0 ? `as much as before: ${formatBytes(after)}` : `${change > 0 ? '+' : '−'} ${formatBytes(Math.abs(change))}: ${size}`;
}

// Neighbours of one language differ a little, so that their edges show.
function lookOf(node: Node): string {
  if (node.highlight) return 'var(--flame-found)';
  return `var(--flame-${node.data.kind}${node.depth % 2 === 0 ? '' : '-2'})`;
}

function told(node: Node, measure: Measure, total: number, compared: Compared | null): string {
  const {name, place, value, self, kind} = node.data;
  if (compared) return `${name}${place ? ` (${place})` : ''}: ${toldChange(node.data, compared)}; ${KIND_TITLES[kind]}`;
  const what = measure === 'allocated' ? 'allocated' : node.children ? 'at most, live at peak' : 'live at peak';
  const own = node.children && self > 0 ? `, ${formatBytes(self)} in this frame itself` : '';
  return `${name}${place ? ` (${place})` : ''}: ${formatBytes(value)} ${what}, ${formatPercent(value, total)} of all${own}; ${KIND_TITLES[kind]}`;
}

interface GraphProps {
  tree: FlameNode;
  measure: Measure;
  flames: boolean; // the root is at the bottom
  term: string;
  compared: Compared | null;
}

// The step that an arrow key makes from a frame.
function step(node: Node, key: string, flames: boolean): Node | undefined {
  const inwards = flames ? 'ArrowUp' : 'ArrowDown';
  const outwards = flames ? 'ArrowDown' : 'ArrowUp';
  if (key === inwards) return (node.children as Node[] | undefined)?.find((each) => !each.data.kind || (each.value ?? 0) > 0);
  if (key === outwards) return (node.parent as Node | null) ?? undefined;
  const row = ((node.parent?.children ?? [node]) as Node[]).filter((each) => (each.value ?? 0) > 0);
  return row[row.indexOf(node) + (key === 'ArrowRight' ? 1 : -1)];
}

function Graph({tree, measure, flames, term, compared}: GraphProps) {
  const host = useRef<HTMLDivElement>(null);
  const graph = useRef<FlameGraph<FlameNode> | null>(null);
  const at = useRef<Node | null>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState('');
  const tell = (node: Node | null) => setText(node ? told(node, measure, tree.value, compared) : '');
  const mark = (node: Node | null) => {
    at.current = node;
    select(host.current)
      .selectAll<SVGGElement, Node>('g.frame')
      .classed('at', (each) => each === node);
    tell(node);
  };
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const selection = select(element).datum(tree) as unknown as Selection<HTMLElement, FlameNode, null, undefined>;
    const made = flamegraph<FlameNode>()
      .width(element.clientWidth)
      .cellHeight(CELL)
      .minFrameSize(2)
      .transitionDuration(0)
      .inverted(!flames)
      .resetHeightOnZoom(true)
      .getName((node) => (node.data.kind === 'python' && node.data.place ? `${node.data.name}  ${node.data.place}` : node.data.name))
      .label((node) => told(node, measure, tree.value, compared))
      .setColorMapper((node) => (compared ? lookOfChange(node, compared) : lookOf(node)))
      .setSearchMatch((node, word) => word !== '' && `${node.data.name} ${node.data.place}`.toLowerCase().includes(word.toLowerCase()))
      .setSearchHandler((nodes, sum) => setFound(`${plural(nodes.length, 'frame')}, ${formatBytes(sum)}, ${formatPercent(sum, tree.value)} of all`))
      .onHover((node) => tell(node))
      .onClick((node) => mark(node));
    made(selection);
    graph.current = made;
    at.current = null;
    setText('');
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width || element.clientWidth === 0) return;
      width = element.clientWidth;
      made.width(width).update();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      graph.current = null;
    };
  }, [tree, measure, flames, compared]);
  useEffect(() => {
    if (term !== '') graph.current?.search(term);
    else if (found !== '') {
      graph.current?.clear();
      setFound('');
    }
  }, [term, tree, measure, flames, compared]);
  const press = (event: KeyboardEvent) => {
    const root = select<HTMLElement, Node>(host.current as HTMLElement).datum();
    if (event.key.startsWith('Arrow')) {
      const next = at.current ? step(at.current, event.key, flames) : root;
      if (next) mark(next);
    } else if (event.key === 'Enter' && at.current) {
      graph.current?.zoomTo(at.current);
    } else if (event.key === 'Escape') {
      graph.current?.resetZoom();
      mark(root);
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <>
      <p class="flame-told" role="status">
        {text || (found ? `Found: ${found}` : 'Hover or tap a frame; click it to zoom. With the keyboard: arrows, Enter to zoom, Escape to go back.')}
      </p>
      <div class="flame" ref={host} tabIndex={0} role="application" aria-label="Flame graph: arrows move, Enter zooms, Escape shows all" onKeyDown={press} />
      <p>
        <button type="button" onClick={() => graph.current?.resetZoom()}>
          Show all
        </button>
      </p>
    </>
  );
}

// More of them would be too narrow to see: their stacks are merged first.
const STAGES_SIDE_BY_SIDE = 60;

function Legend({compared}: {compared: Compared | null}) {
  if (!compared) {
    return (
      <p class="legend">
        {(['python', 'native', 'java', 'part'] as const).map((kind) => (
          <span class="key">
            <i class={`dot flame-${kind}`} />
            {KIND_TITLES[kind]}
          </span>
        ))}
      </p>
    );
  }
  return (
    <p class="legend">
      {[
        ['more-3', 'more than before'],
        ['less-3', 'less'],
        ['same', 'as much'],
      ].map(([look, title]) => (
        <span class="key">
          <i class={`dot flame-${look}`} />
          {title}
        </span>
      ))}
      <span class="soft">the stronger, the larger the change; the strongest is {formatBytes(compared.largest)}</span>
    </p>
  );
}

type Comparing = 'no' | Compared['widths'];

function runOf(report: Report): string {
  const {name, id, startedMs} = report.application;
  return `${name ?? id ?? 'the run'}${startedMs != null ? ` of ${formatTime(startedMs)}` : ''}`;
}

interface FlameProps {
  report: Report;
  before: Report | null; // a run to compare with
  route: Route;
}

export function FlamePage({report, before, route}: FlameProps) {
  const ending = useEnding(report);
  const stages = report.stages.filter(hasStacks);
  const [measure, setMeasure] = useState<Measure>(() =>
    stages.some((stage) => stage.sites.some((site) => (site.liveAtPeakBytes ?? 0) > 0)) ? 'live' : 'allocated',
  );
  const [flames, setFlames] = useState(false);
  const [udfs, setUdfs] = useState(true);
  const [comparing, setComparing] = useState<Comparing>(before ? 'after' : 'no');
  const isCompared = before !== null && comparing !== 'no';
  // Of two runs, stages seldom have the same numbers.
  const [byStage, setByStage] = useState(!isCompared && stages.length <= STAGES_SIDE_BY_SIDE);
  const [term, setTerm] = useState('');
  const chosen = route.query.get('stage') ?? '';
  const [tree, compared] = useMemo((): [FlameNode, Compared | null] => {
    const shape = {stages: byStage || (chosen !== '' && !isCompared), udfs, lines: !isCompared};
    const here = ({stages: all, otherStages}: Report) =>
      chosen === ''
        ? flameTree(all, otherStages, measure, shape)
        : flameTree(
            all.filter((stage) => stageKey(stage) === chosen),
            null,
            measure,
            shape,
          );
    if (!isCompared) return [here(report), null];
    const [shown, other] = comparing === 'after' ? [here(report), here(before)] : [here(before), here(report)];
    return [shown, {widths: comparing, largest: compareTrees(shown, other)}];
  }, [report, before, comparing, chosen, measure, byStage, udfs]);
  if (stages.length === 0) {
    return <p class="empty">{EMPTY[ending]}</p>;
  }
  return (
    <>
      <div class="tools">
        <fieldset class="switch">
          <legend class="unseen">Measure</legend>
          {(['live', 'allocated'] as const).map((each) => (
            <label>
              <input type="radio" name="measure" checked={measure === each} onChange={() => setMeasure(each)} />{' '}
              <span>{each === 'live' ? 'Live at peak' : 'Allocated'}</span>
            </label>
          ))}
        </fieldset>
        <label>
          Stage{' '}
          <select
            aria-label="Stage"
            value={chosen}
            onChange={(event) => {
              const stage = event.currentTarget.value;
              location.hash = stage === '' ? link('flame') : link('flame', undefined, {stage});
            }}
          >
            <option value="">all</option>
            {stages.map((stage) => (
              <option value={stageKey(stage)}>
                {stageTitle(stage)}: {stage.title.slice(0, 60)}
              </option>
            ))}
          </select>
        </label>
        <label class="search">
          <span class="unseen">Search frames</span>
          <input type="search" placeholder="Search frames" value={term} onInput={(event) => setTerm(event.currentTarget.value)} />
        </label>
        <label>
          <input type="checkbox" checked={flames} onChange={() => setFlames(!flames)} /> Invert
        </label>
        {chosen === '' && stages.length > 1 && (
          <label>
            <input type="checkbox" checked={byStage} onChange={() => setByStage(!byStage)} /> By stage
          </label>
        )}
        <label>
          <input type="checkbox" checked={udfs} onChange={() => setUdfs(!udfs)} /> By UDF
        </label>
      </div>
      {before && (
        <div class="tools">
          <label>
            Compare with {runOf(before)}{' '}
            <select aria-label="Compare" value={comparing} onChange={(event) => setComparing(event.currentTarget.value as Comparing)}>
              <option value="after">widths of this run</option>
              <option value="before">widths of the run before, with what is gone</option>
              <option value="no">no</option>
            </select>
          </label>
        </div>
      )}
      <Legend compared={compared} />
      {tree.value === 0 ? (
        <p class="empty">
          {measure === 'live'
            ? 'Nothing here has a live figure: what is live in a JVM heap is only known after a collection. Choose Allocated.'
            : 'Nothing was allocated here that was sampled.'}
        </p>
      ) : (
        <div class="card">
          <Graph tree={tree} measure={measure} flames={flames} term={term} compared={compared} />
        </div>
      )}
      <p class="note">
        {measure === 'live'
          ? 'A stack’s live bytes are the largest of any one task. They compare stacks, but the wider frames, which add them up, are bounds and not what was held at one moment.'
          : 'Allocated bytes are summed over the stage’s tasks. Frames add up to the report’s totals.'}{' '}
        Only attempts that count are in here.
        {compared && ' Frames are the same where function and file are, whatever their line; a stage lists its heaviest stacks only.'}
      </p>
    </>
  );
}
