// Columns over the stages in the order in which they ran (uPlot). The table beside it has the same figures as text.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import uPlot from 'uplot';
import type {Theme} from '../theme';
import {formatBytes} from '../units';

interface Point {
  title: string;
  bytes: number | null;
  href: string;
}

interface ChartProps {
  label: string;
  points: Point[];
  theme: Theme;
}

const HEIGHT = 150;
const MOST_COLUMNS = 240; // more are too thin to be told apart, and each takes its time to paint
const FEW_POINTS = 200; // more columns are too thin for round corners, which take most of the time to paint

/** If there are too many points for one column each, neighbours share a column; it shows the largest of them. */
function columnsFor(points: Point[]): Point[] {
  const perColumn = Math.ceil(points.length / MOST_COLUMNS);
  if (perColumn <= 1) return points;
  const columns: Point[] = [];
  for (let from = 0; from < points.length; from += perColumn) {
    columns.push(points.slice(from, from + perColumn).reduce((largest, point) => ((point.bytes ?? -1) > (largest.bytes ?? -1) ? point : largest)));
  }
  return columns;
}

function draw(host: HTMLElement, points: Point[], hover: (index: number | null) => void): uPlot {
  const colour = (name: string) => getComputedStyle(host).getPropertyValue(name).trim();
  const ink = colour('--soft');
  const grid = {stroke: colour('--line'), width: 1};
  const font = '11px system-ui, sans-serif';
  return new uPlot(
    {
      width: host.clientWidth,
      height: HEIGHT,
      legend: {show: false},
      cursor: {y: false, points: {show: false}, drag: {x: false, y: false}},
      scales: {x: {time: false, range: [-0.6, points.length - 0.4]}, y: {range: (_chart, _low, high) => [0, (high || 1) * 1.08]}},
      axes: [
        {
          stroke: ink,
          font,
          size: 26,
          grid: {show: false},
          ticks: {show: false},
          values: (_chart, splits) => splits.map((at) => (Number.isInteger(at) ? (points[at]?.title.replace('Stage ', '') ?? '') : '')),
        },
        {stroke: ink, font, size: 74, grid, ticks: {show: false}, values: (_chart, splits) => splits.map((bytes) => formatBytes(bytes))},
      ],
      series: [
        {},
        {
          fill: colour('--python'),
          stroke: colour('--python'),
          width: 0,
          points: {show: false},
          paths: uPlot.paths.bars!({size: [0.7, 34], radius: points.length > FEW_POINTS ? 0 : 0.12}),
        },
      ],
      hooks: {setCursor: [(chart) => hover(chart.cursor.idx ?? null)]},
    },
    [points.map((_point, index) => index), points.map((point) => point.bytes)],
    host,
  );
}

export function ColumnChart({label, points: all, theme}: ChartProps) {
  const points = useMemo(() => columnsFor(all), [all]);
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = draw(element, points, setAt);
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== chart.width) chart.setSize({width: element.clientWidth, height: HEIGHT}); // it reports the first size too
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, theme]);
  const point = at === null ? undefined : points[at];
  return (
    <figure class="chart">
      <figcaption>
        {label}
        {points.length < all.length && ` Each column is the largest of ${Math.ceil(all.length / points.length)} that ran one after the other.`}
        <span class="note"> {point ? `${point.title}: ${point.bytes === null ? 'not measured' : formatBytes(point.bytes)}` : ''}</span>
      </figcaption>
      <div
        ref={host}
        role="img"
        aria-label={`${label}, ${points.length} columns; the table below has the figures`}
        onClick={() => {
          if (point) location.hash = point.href;
        }}
      />
    </figure>
  );
}
