// The JVM's memory of a stage by the part of Spark's engine that it is for.
import {useMemo} from 'preact/hooks';
import {ORIGIN_TITLES} from '../digest';
import type {Operator} from '../model';
import {formatBytes, formatCount} from '../units';
import {Share} from './bar';
import {Bytes} from './figures';
import {DataTable, type Column} from './table';

function columnsOf(largest: number): Column<Operator>[] {
  return [
    {
      id: 'operator',
      title: 'Of Spark',
      look: 'main',
      value: (one) => one.operator,
      cell: (one) => (
        <>
          <span class="strong">{one.operator}</span>
          <div class="of soft">{ORIGIN_TITLES[one.origin] ?? one.origin}</div>
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: (one) => <Share bytes={one.allocatedBytes} whole={largest} look="jvm" label={`allocated ${formatBytes(one.allocatedBytes)}`} />,
    },
    {
      id: 'allocated',
      title: 'Allocated',
      look: 'number',
      value: (one) => one.allocatedBytes,
      cell: (one) => <Bytes value={one.allocatedBytes} note="from samples" />,
    },
    {id: 'sites', title: 'Call sites', look: 'number', value: (one) => one.sites, cell: (one) => formatCount(one.sites)},
  ];
}

export function Operators({operators, name}: {operators: Operator[]; name: string}) {
  const largest = useMemo(() => operators.reduce((most, one) => Math.max(most, one.allocatedBytes), 0), [operators]);
  const columns = useMemo(() => columnsOf(largest), [largest]);
  if (operators.length === 0) return null;
  return (
    <>
      <h3>JVM, by what of Spark it is for</h3>
      <DataTable
        label={`operators of ${name}`}
        rows={operators}
        columns={columns}
        rowKey={(one) => `${one.operator} ${one.origin}`}
        sortBy="allocated"
        words={(one) => one.operator}
        filterHint="Filter by operator"
        empty=""
        pageSize={8}
      />
    </>
  );
}
