// Spark's own memory: its pools in an executor, and how much of them a stage's tasks held.
import type {PoolMoment, SparkPool, StageMemory} from '../model';
import {formatBytes, formatCount, plural} from '../units';
import {Bar} from './bar';
import {Bytes} from './figures';

const MODES = {onHeap: 'On-heap', offHeap: 'Off-heap'};
const SAMPLED = 'sampled ten times a second';

function Pool({pool}: {pool: SparkPool}) {
  const whole = Math.max(1, pool.maxBytes, pool.storagePeakBytes, pool.executionPeakBytes);
  const borrowed = (bytes: number | null, from: string) => bytes != null && bytes > 0 && `, ${formatBytes(bytes)} of it borrowed from ${from}`;
  return (
    <>
      <p>
        <strong>{MODES[pool.mode]}</strong>: <Bytes value={pool.maxBytes} note="storage and execution together" />
        {pool.storageRegionBytes != null && `, of which ${formatBytes(pool.storageRegionBytes)} are storage’s own share`}
      </p>
      <Bar
        parts={[{bytes: pool.storagePeakBytes, look: 'row0', title: `storage, peak ${formatBytes(pool.storagePeakBytes)}`}]}
        whole={whole}
        mark={pool.storageRegionBytes}
        label={`${MODES[pool.mode]} storage, peak`}
      />
      <p class="keys">
        Storage <Bytes value={pool.storagePeakBytes} note={SAMPLED} /> at its peak
        {borrowed(pool.storageBorrowedPeakBytes, 'execution')}
        {pool.unevictablePeakBytes != null && `; execution could not evict ${formatBytes(pool.unevictablePeakBytes)}`}
      </p>
      <Bar
        parts={[{bytes: pool.executionPeakBytes, look: 'row1', title: `execution, peak ${formatBytes(pool.executionPeakBytes)}`}]}
        whole={whole}
        mark={pool.storageRegionBytes == null ? null : pool.maxBytes - pool.storageRegionBytes}
        label={`${MODES[pool.mode]} execution, peak`}
      />
      <p class="keys">
        Execution <Bytes value={pool.executionPeakBytes} note={SAMPLED} /> at its peak
        {borrowed(pool.executionBorrowedPeakBytes, 'storage')}
      </p>
    </>
  );
}

export function SparkPools({pools}: {pools: SparkPool[]}) {
  const used = pools.filter((pool) => pool.maxBytes > 0);
  if (used.length === 0) return null;
  return (
    <>
      <h3>Spark’s own memory</h3>
      {used.map((pool) => (
        <Pool pool={pool} />
      ))}
    </>
  );
}

function Fullest({moment}: {moment: PoolMoment}) {
  return (
    <p class="note">
      {MODES[moment.mode]} memory when it was fullest while a task ran: storage {formatBytes(moment.storageBytes)}, execution{' '}
      {formatBytes(moment.executionBytes)}, of {formatBytes(moment.maxBytes)}.
    </p>
  );
}

export function StageSparkMemory({memory}: {memory: StageMemory}) {
  if (memory.consumers.length === 0 && memory.tasksSpilled === 0) return null;
  return (
    <>
      <h3>Spark’s execution memory</h3>
      {memory.tasksSpilled > 0 && (
        <p class="warm">
          Spilled in {plural(memory.tasksSpilled, 'task')}: {formatBytes(memory.spilledMemoryBytes ?? 0)} of memory, {formatBytes(memory.spilledDiskBytes ?? 0)}{' '}
          on disk.
        </p>
      )}
      {memory.consumers.length > 0 && (
        <table class="compact" aria-label="Consumers of execution memory">
          <thead>
            <tr>
              <th scope="col">Consumer</th>
              <th scope="col">For</th>
              <th scope="col" class="number">
                Tasks
              </th>
              <th scope="col" class="number">
                Most in one task
              </th>
            </tr>
          </thead>
          <tbody>
            {memory.consumers.map((consumer) => (
              <tr>
                <td class="code">
                  {consumer.title}
                  {consumer.mode === 'offHeap' && <span class="soft"> off-heap</span>}
                </td>
                <td>{consumer.operation ?? <span class="none">–</span>}</td>
                <td class="number">{formatCount(consumer.tasks)}</td>
                <td class="number">
                  <Bytes value={consumer.peakBytes} note={SAMPLED} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {memory.fullest
        .filter((moment) => moment.storageBytes + moment.executionBytes > 0)
        .map((moment) => (
          <Fullest moment={moment} />
        ))}
    </>
  );
}
