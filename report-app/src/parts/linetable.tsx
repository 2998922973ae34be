// Lines of the user's code with their figures in the margin; native frames under a line, its stacks on request.
import {useMemo} from 'preact/hooks';
import type {LineOfStage} from '../digest';
import type {Report} from '../model';
import {link} from '../route';
import {isDriversPython, stageKey, stageTitle, udfTitle} from '../titles';
import {formatBytes} from '../units';
import {Share} from './bar';
import {bytesColumn, errorColumn, residentColumn} from './columns';
import {allocatedNote, liveNote, otherNote} from './figures';
import {Paths, Stacks, UdfName} from './frames';
import {RunBy} from './runby';
import {DataTable, type Column} from './table';

interface LineTableProps {
  label: string;
  lines: LineOfStage[];
  withStage: boolean;
  report?: Report; // to say which action ran a line's stage
  empty: string;
  pageSize?: number;
}

function columnsOf(largest: number, withStage: boolean, report: Report | undefined): Column<LineOfStage>[] {
  const columns: Column<LineOfStage>[] = [
    {
      id: 'line',
      title: 'Line',
      look: 'main',
      value: ({line}) => line.place,
      cell: ({line, group}) => (
        <>
          <div class="code">
            <span class="place strong">{line.place}</span> <span class="function">{line.function}</span>
            {line.source && <code class="source">{line.source}</code>}
            <Paths line={line} group={group} most={(line.liveAtPeakBytes ?? 0) >= largest / 10 ? 3 : 1} />
          </div>
          <div class="of">
            <UdfName udf={line} />
          </div>
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: ({line}) => <Share bytes={line.liveAtPeakBytes} whole={largest} look="python" label={`live at peak ${formatBytes(line.liveAtPeakBytes ?? 0)}`} />,
    },
    bytesColumn('live', 'Live at peak', ({line}) => [line, line.liveAtPeakBytes, liveNote]),
    errorColumn(({line}) => line),
    residentColumn(({line}) => line),
    bytesColumn('left', 'Left behind', ({line}) => [line, line.liveAtEndBytes, otherNote]),
    bytesColumn('allocated', 'Allocated', ({line}) => [line, line.allocatedBytes, allocatedNote]),
  ];
  if (withStage) {
    columns.splice(1, 0, {
      id: 'stage',
      title: 'Stage',
      value: ({stage}) => stage.stageId,
      cell: ({stage}) => (
        <>
          <a href={link('stages', stageKey(stage))} title={stageTitle(stage)}>
            {isDriversPython(stage) ? 'driver' : stageKey(stage).replace(/\.0$/, '')}
          </a>{' '}
          {report && <RunBy report={report} stageId={stage.stageId} />}
        </>
      ),
    });
  }
  return columns;
}

export function LineTable({label, lines, withStage, report, empty, pageSize = 25}: LineTableProps) {
  const largest = useMemo(() => lines.reduce((most, {line}) => Math.max(most, line.liveAtPeakBytes ?? 0), 0), [lines]);
  const columns = useMemo(() => columnsOf(largest, withStage, report), [largest, withStage, report]);
  return (
    <DataTable
      label={label}
      rows={lines}
      columns={columns}
      rowKey={({line, stage}) => JSON.stringify([stageKey(stage), line.udf, line.udfName, line.udfKind, line.file, line.line, line.function])}
      sortBy="live"
      words={({line, stage}) => `${line.place} ${line.function} ${line.source ?? ''} ${udfTitle(line)} ${line.udfKind} ${stageTitle(stage)}`}
      filterHint="Filter by line, its text, function or UDF"
      empty={empty}
      pageSize={pageSize}
      detail={({line, group}) => <Stacks line={line} group={group} />}
      detailTitle={({line}) => line.place}
    />
  );
}
