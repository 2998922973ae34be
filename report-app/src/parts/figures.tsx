// Figures: each with its unit, its exact value and its error in the title.
import type {Figures} from '../model';
import {formatBytes, formatCount, formatError, formatPercent} from '../units';

interface BytesProps {
  value: number | null | undefined;
  note?: string | undefined; // what is known of its error
  least?: boolean | undefined; // a lower bound
}

export function Bytes({value, note, least}: BytesProps) {
  if (value === null || value === undefined) {
    return (
      <span class="none" title="not measured">
        –
      </span>
    );
  }
  const [number, unit] = formatBytes(value).split(' ');
  return (
    <span class="figure" title={`${formatCount(value)} bytes${note ? ', ' + note : ''}`}>
      {least ? '≥\u202f' : ''}
      {number}
      <span class="unit">{'\u202f' + unit}</span>
    </span>
  );
}

// Below another figure: a page within Spark's has no room for more columns.
export function TimeInCollections({percent, note}: {percent: number | null | undefined; note: string}) {
  if (percent == null) return null;
  return (
    <div class="of soft" title={note}>
      {formatPercent(percent, 100)} in collections
    </div>
  );
}

// errorBytes belongs to live at peak, or to allocated where live is null.
export function liveNote(figures: Figures): string {
  return figures.sampled ? `sampled, ${formatError(figures.errorBytes)}` : 'exact: every block was counted';
}

export function allocatedNote(figures: Figures): string {
  if (!figures.sampled) return 'exact: every block was counted';
  return figures.liveAtPeakBytes === null ? `sampled, ${formatError(figures.errorBytes)}` : 'sampled: an estimate whose error is not in the report';
}

export function otherNote(figures: Figures): string {
  return figures.sampled ? 'sampled: an estimate whose error is not in the report' : 'of blocks that were all counted';
}

export function residentNote(figures: Figures): string {
  return figures.residentInPart ? 'at least: of blocks whose pages were looked up; those of blocks below 1 MiB never are' : otherNote(figures);
}

export function ErrorOf({figures}: {figures: Figures}) {
  const told = formatError(figures.errorBytes);
  const what = figures.liveAtPeakBytes === null ? 'allocated' : 'live at peak';
  return (
    <span class="soft" title={`${figures.errorBytes === null ? '' : formatCount(figures.errorBytes) + ' bytes, '}two standard deviations of ${what}`}>
      {told}
    </span>
  );
}
