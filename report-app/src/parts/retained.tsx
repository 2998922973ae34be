import type {Executor, Frame, OffHeapOfNoTask as HeldOffHeap, Retained} from '../model';
import {frameTitle, framePlace, leadFrame} from '../titles';
import {formatBytes, formatCount, formatDuration, formatError, formatPercent, formatTime, plural} from '../units';
import {Bytes} from './figures';

const SITES_SHOWN = 20;

interface Made {
  frames: Frame[];
  lead: number | null;
  stageId: number | null;
  thread: string | null;
  errorBytes: number | null;
}

// Call sites with their bytes, by the stage or the thread that made them. `held`, `counted`: the columns' titles.
function MadeTable({title, held, counted, rows}: {title: string; held: string; counted: string; rows: {site: Made; bytes: number; count: number}[]}) {
  return (
    <table class="compact" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Call site</th>
          <th scope="col">Made by</th>
          <th scope="col" class="number">
            {held}
          </th>
          <th scope="col" class="number">
            {counted}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, SITES_SHOWN).map(({site, bytes, count}) => {
          const lead = leadFrame(site);
          return (
            <tr>
              <td>
                {lead ? frameTitle(lead) : 'no frames'} <span class="soft">{lead && framePlace(lead)}</span>
              </td>
              <td class="nowrap">{site.stageId !== null ? `stage ${site.stageId}` : (site.thread ?? '')}</td>
              <td class="number">
                <Bytes value={bytes} note={site.errorBytes === 0 ? undefined : formatError(site.errorBytes)} />
              </td>
              <td class="number">{formatCount(count)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

// What was still reachable in a heap, by call site.
export function RetainedHeap({retained}: {retained: Retained | null | undefined}) {
  if (!retained) return null;
  const rest = retained.sites.slice(SITES_SHOWN);
  const smaller = rest.length + retained.otherSites;
  return (
    <section class="card">
      <h2>Retained by the heap</h2>
      <p>
        <Bytes value={retained.totalBytes} note={formatError(retained.errorBytes)} /> of <Bytes value={retained.heapUsedAfterBytes} /> in use after{' '}
        {retained.collection}, <span class="soft">{formatTime(retained.timeMs)}</span>
      </p>
      <MadeTable
        title="Retained by the heap"
        held="Retained"
        counted="Objects"
        rows={retained.sites.map((site) => ({site, bytes: site.retainedBytes, count: site.objects}))}
      />
      {smaller > 0 && (
        <p class="note">
          {plural(smaller, 'smaller site')}: <Bytes value={rest.reduce((all, site) => all + site.retainedBytes, retained.otherBytes)} />.
        </p>
      )}
    </section>
  );
}

// What tasks have left behind off-heap or in JNI libraries, as `title` says, and what no task has allocated.
export function HeldByNoTask({title, held}: {title: string; held: HeldOffHeap | null | undefined}) {
  if (!held) return null;
  const {sites, otherBytes} = held;
  const more = sites.slice(SITES_SHOWN).reduce((all, site) => all + site.bytes, otherBytes);
  return (
    <section class="card">
      <h2>{title}</h2>
      <p>
        <Bytes value={held.totalBytes} /> when it was most, <span class="soft">{formatTime(held.timeMs)}</span>: blocks that outlived their tasks, such as
        cached ones, and blocks of threads that work for no task
      </p>
      <MadeTable title={title} held="Held" counted="Blocks" rows={sites.map((site) => ({site, bytes: site.bytes, count: site.blocks}))} />
      {more > 0 && (
        <p class="note">
          Other sites: <Bytes value={more} />.
        </p>
      )}
    </section>
  );
}

// What collections have left in use: at other times garbage is in use, too.
export function HeapAfterGc({executor}: {executor: Executor}) {
  const {heapMaxBytes, heapAfterGc: last, heapAfterGcPeak: most} = executor;
  if (heapMaxBytes == null && !most) return null;
  return (
    <p class="note">
      {heapMaxBytes != null && `Heap: ${formatBytes(heapMaxBytes)} at most. `}
      {most && last ? (
        <>
          In use after a {most.wholeHeap ? 'full' : 'young'} collection: <Bytes value={most.bytes} note={most.collection} /> at most,{' '}
          <span class="soft">{formatTime(most.timeMs)}</span>; <Bytes value={last.bytes} note={last.collection} /> after the last one, {last.collection},{' '}
          <span class="soft">{formatTime(last.timeMs)}</span>.
        </>
      ) : (
        'What of it is in use is only known after a collection, and none was reported.'
      )}
    </p>
  );
}

export function Collectors({executor}: {executor: Executor}) {
  const collectors = executor.gc ?? [];
  if (collectors.length === 0) return null;
  return (
    <section class="card">
      <h2>Garbage collection</h2>
      {executor.gcStoppedMs != null && (
        <p>
          The JVM stood still for {formatDuration(executor.gcStoppedMs)} in all
          {executor.gcPercent != null && `, ${formatPercent(executor.gcPercent, 100)} of its time`}.
        </p>
      )}
      <div class="sideways" tabIndex={0} role="region" aria-label="Collectors">
        <table class="compact" aria-label="Garbage collection">
          <thead>
            <tr>
              <th scope="col">Collector</th>
              <th scope="col" class="number">
                Collections
              </th>
              <th scope="col" class="number">
                In all
              </th>
              <th scope="col" class="number">
                Longest
              </th>
              <th scope="col">Causes</th>
            </tr>
          </thead>
          <tbody>
            {collectors.map((collector) => (
              <tr>
                <td>
                  {collector.collector} {!collector.stopsTheWorld && <span class="soft">beside the application</span>}
                </td>
                <td class="number">{formatCount(collector.collections)}</td>
                <td class="number">
                  {formatDuration(collector.totalMs)}
                  {collector.percent != null && <div class="of soft">{formatPercent(collector.percent, 100)} of its time</div>}
                </td>
                <td class="number">{formatDuration(collector.longestMs)}</td>
                <td>{collector.causes.map((cause) => `${cause.cause} ${formatCount(cause.collections)}`).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
