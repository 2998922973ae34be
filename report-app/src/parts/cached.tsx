// What lies in Spark's storage: cached data by name, and broadcast variables.
import type {Broadcast, CachedData, Finding, Report} from '../model';
import {link} from '../route';
import {executorTitle} from '../titles';
import {formatCount} from '../units';
import {Bytes} from './figures';
import {DataTable, type Column} from './table';

const AT_PEAK = 'when most memory was taken';

// As the terminal says it.
function storedForm({storageLevel, deserialized, serializer}: CachedData): string {
  if (storageLevel === null) return '';
  if (!serializer) return deserialized ? ', deserialized' : ', serialized';
  return `, serialized by ${serializer.slice(serializer.lastIndexOf('.') + 1)}`;
}

// With copies there are more blocks than partitions.
function Blocks({cached: {peakBlocks, peakPartitions, partitions}}: {cached: CachedData}) {
  const stored = peakPartitions ?? peakBlocks;
  return (
    <>
      {formatCount(stored)}
      {partitions !== null && ` of ${formatCount(partitions)}`}
      {stored !== peakBlocks && <div class="soft">in {formatCount(peakBlocks)} blocks</div>}
    </>
  );
}

const CACHED: Column<CachedData>[] = [
  {
    id: 'name',
    title: 'Cached data',
    look: 'main',
    value: (cached) => cached.name ?? `RDD ${cached.rddId}`,
    cell: (cached) => (
      <>
        <span class="strong">{cached.name ?? `RDD ${cached.rddId}`}</span>{' '}
        <span class="soft">
          {cached.storageLevel}
          {storedForm(cached)}
        </span>
        <div class="code">{cached.callSite}</div>
      </>
    ),
  },
  {
    id: 'memory',
    title: 'In memory',
    look: 'number',
    value: (cached) => cached.peakMemoryBytes,
    cell: (cached) => <Bytes value={cached.peakMemoryBytes} note={AT_PEAK} />,
  },
  {
    id: 'disk',
    title: 'On disk',
    look: 'number',
    value: (cached) => cached.peakDiskBytes,
    cell: (cached) => <Bytes value={cached.peakDiskBytes} note={AT_PEAK} />,
  },
  {
    id: 'blocks',
    title: 'Blocks',
    look: 'number',
    value: (cached) => cached.peakBlocks,
    cell: (cached) => <Blocks cached={cached} />,
  },
  {
    id: 'now',
    title: 'In memory, last known', // while the application runs: now
    look: 'number',
    value: (cached) => cached.memoryBytes,
    cell: (cached) => <Bytes value={cached.memoryBytes} />,
  },
];

const BROADCAST_NOTE = <p class="note">By their serialised pieces. Spark broadcasts the tasks of each stage, too.</p>;

const BROADCASTS: Column<Broadcast>[] = [
  {id: 'id', title: 'Number', look: 'main', value: (broadcast) => broadcast.id, cell: (broadcast) => formatCount(broadcast.id)},
  {
    id: 'bytes',
    title: 'One copy',
    look: 'number',
    value: (broadcast) => broadcast.bytes,
    cell: (broadcast) => <Bytes value={broadcast.bytes} note="serialised" />,
  },
  {
    id: 'all',
    title: 'All copies in memory',
    look: 'number',
    value: (broadcast) => broadcast.peakMemoryBytes,
    cell: (broadcast) => <Bytes value={broadcast.peakMemoryBytes} note={AT_PEAK} />,
  },
];

// Those that the driver made: its own copy beside all others.
const OF_DRIVER: Column<Broadcast>[] = [
  ...BROADCASTS,
  {
    id: 'driver',
    title: 'The driver’s copy',
    look: 'number',
    value: (broadcast) => broadcast.driverPeakBytes,
    cell: (broadcast) => <Bytes value={broadcast.driverPeakBytes} note="at its largest" />,
  },
];

export function Broadcasts({broadcasts}: {broadcasts: Broadcast[]}) {
  return (
    <>
      {BROADCAST_NOTE}
      <DataTable label="broadcast variables" rows={broadcasts} columns={OF_DRIVER} rowKey={(row) => String(row.id)} sortBy="driver" pageSize={10} empty="" />
    </>
  );
}

export function Storage({report}: {report: Report}) {
  const cached = report.cachedData ?? [];
  const broadcasts = report.broadcasts ?? [];
  return (
    <>
      {cached.length > 0 && (
        <section>
          <h3>Cached data, at its peak</h3>
          <DataTable label="cached data" rows={cached} columns={CACHED} rowKey={(row) => String(row.rddId)} sortBy="memory" pageSize={10} empty="" />
        </section>
      )}
      {broadcasts.length > 0 && (
        <section>
          <h3>Broadcast variables</h3>
          {BROADCAST_NOTE}
          <DataTable label="broadcast variables" rows={broadcasts} columns={BROADCASTS} rowKey={(row) => String(row.id)} sortBy="bytes" pageSize={5} empty="" />
        </section>
      )}
    </>
  );
}

export function Findings({findings}: {findings: Finding[]}) {
  return (
    <>
      {findings.map((finding) => (
        <section class="card">
          <p>
            {finding.headline} {finding.executorId && <a href={link('executors', finding.executorId)}>{executorTitle(finding.executorId)}</a>}
            {finding.stageId !== null && <a href={link('stages', `${finding.stageId}.${finding.attempt ?? 0}`)}>Stage {finding.stageId}</a>}
          </p>
          <ul>
            {finding.advice.map((piece) => (
              <li>
                {piece.conf && (
                  <code>
                    {piece.conf} {piece.from} → {piece.to}
                  </code>
                )}{' '}
                {piece.because}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
