// How much of a stage's Python memory each function of the user had.
import {useMemo} from 'preact/hooks';
import type {UdfShare} from '../model';
import {formatBytes, formatCount} from '../units';
import {Share} from './bar';
import {allocatedNote, Bytes, liveNote} from './figures';
import {DataTable, type Column} from './table';

const OUTSIDE = 'outside any function of the user';

const titleOf = (share: UdfShare) => share.udf ?? OUTSIDE;

function columnsOf(largest: number): Column<UdfShare>[] {
  return [
    {
      id: 'udf',
      title: 'UDF',
      look: 'main',
      value: titleOf,
      cell: (share) => (
        <>
          <span class="strong">{titleOf(share)}</span>
          {share.udfKind && <div class="of soft">{share.udfKind}</div>}
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: (share) => <Share bytes={share.liveAtPeakBytes} whole={largest} look="python" label={`live at peak ${formatBytes(share.liveAtPeakBytes ?? 0)}`} />,
    },
    {
      id: 'live',
      title: 'Live at peak',
      look: 'number',
      value: (share) => share.liveAtPeakBytes,
      cell: (share) => <Bytes value={share.liveAtPeakBytes} note={`the largest of any one task, ${liveNote(share)}`} />,
    },
    {
      id: 'allocated',
      title: 'Allocated',
      look: 'number',
      value: (share) => share.allocatedBytes,
      cell: (share) => <Bytes value={share.allocatedBytes} note={allocatedNote(share)} />,
    },
    {id: 'tasks', title: 'Tasks', look: 'number', value: (share) => share.tasks, cell: (share) => formatCount(share.tasks)},
  ];
}

export function UdfShares({udfs, name}: {udfs: UdfShare[]; name: string}) {
  const largest = useMemo(() => udfs.reduce((most, share) => Math.max(most, share.liveAtPeakBytes ?? 0), 0), [udfs]);
  const columns = useMemo(() => columnsOf(largest), [largest]);
  if (udfs.length === 0) return null;
  return (
    <>
      <h3>Python, by UDF</h3>
      <DataTable
        label={`UDFs of ${name}`}
        rows={udfs}
        columns={columns}
        rowKey={(share) => `${titleOf(share)} ${share.udfKind} ${share.udfFile} ${share.udfLine}`}
        sortBy="live"
        empty=""
        pageSize={8}
      />
    </>
  );
}
