import type {Executor, Retained, RetainedSite} from '../model';
import {frameTitle, framePlace, leadFrame} from '../titles';
import {formatCount, formatDuration, formatError, formatTime, plural} from '../units';
import {Bytes} from './figures';

const SITES_SHOWN = 20;

function whoMade(site: RetainedSite): string {
  if (site.stageId !== null) return `stage ${site.stageId}`;
  return site.thread ?? '';
}

// What was still reachable in a heap, by call site.
export function RetainedHeap({retained}: {retained: Retained | null | undefined}) {
  if (!retained) return null;
  return (
    <section class="card">
      <h2>Retained by the heap</h2>
      <p>
        <Bytes value={retained.totalBytes} note={formatError(retained.errorBytes)} /> of <Bytes value={retained.heapUsedAfterBytes} /> in use after{' '}
        {retained.collection}, <span class="soft">{formatTime(retained.timeMs)}</span>
      </p>
      <table class="compact" aria-label="Retained by the heap">
        <thead>
          <tr>
            <th scope="col">Call site</th>
            <th scope="col">Made by</th>
            <th scope="col" class="number">
              Retained
            </th>
            <th scope="col" class="number">
              Objects
            </th>
          </tr>
        </thead>
        <tbody>
          {retained.sites.slice(0, SITES_SHOWN).map((site) => {
            const lead = leadFrame(site);
            return (
              <tr>
                <td>
                  {lead ? frameTitle(lead) : 'no frames'} <span class="soft">{lead && framePlace(lead)}</span>
                </td>
                <td class="nowrap">{whoMade(site)}</td>
                <td class="number">
                  <Bytes value={site.retainedBytes} note={formatError(site.errorBytes)} />
                </td>
                <td class="number">{formatCount(site.objects)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {retained.otherSites > 0 && (
        <p class="note">
          {plural(retained.otherSites, 'smaller site')}: <Bytes value={retained.otherBytes} />.
        </p>
      )}
    </section>
  );
}

export function Collectors({executor}: {executor: Executor}) {
  const collectors = executor.gc ?? [];
  if (collectors.length === 0) return null;
  return (
    <section class="card">
      <h2>Garbage collection</h2>
      {executor.gcStoppedMs != null && <p>The JVM stood still for {formatDuration(executor.gcStoppedMs)} in all.</p>}
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
                <td class="number">{formatDuration(collector.totalMs)}</td>
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
