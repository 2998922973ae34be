import type {HeapShortage} from '../model';
import {formatBytes, formatCount, formatTime, plural} from '../units';
import {Bytes} from './figures';

const CLASSES_SHOWN = 15;

// A JVM's heap when it had no room for what a thread asked for, by class.
export function FullHeap({heap, note}: {heap: HeapShortage | null | undefined; note?: string}) {
  if (!heap) return null;
  const rest = heap.classes.slice(CLASSES_SHOWN);
  const classes = rest.length + heap.otherClasses;
  const bytes = rest.reduce((all, each) => all + each.bytes, heap.otherBytes);
  return (
    <>
      {heap.classes.length > 0 && (
        <>
          <h3>
            {heap.cutShort ? 'A part of the heap by class' : 'The heap by class'}: <Bytes value={heap.totalBytes} />
          </h3>
          {note && <p class="note">But {note}.</p>}
          <table class="compact" aria-label="The heap by class">
            <thead>
              <tr>
                <th scope="col">Class</th>
                <th scope="col" class="number">
                  Bytes
                </th>
                <th scope="col" class="number">
                  Objects
                </th>
              </tr>
            </thead>
            <tbody>
              {heap.classes.slice(0, CLASSES_SHOWN).map((each) => (
                <tr>
                  <td>{each.name}</td>
                  <td class="number">
                    <Bytes value={each.bytes} />
                  </td>
                  <td class="number">{formatCount(each.objects)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {classes > 0 && (
            <p class="note">
              {plural(classes, 'other class', 'other classes')}: <Bytes value={bytes} />.
            </p>
          )}
        </>
      )}
      {heap.regions.length > 0 && <p class="note">Spark then: {heap.regions.map((row) => `${row.name} ${formatBytes(row.bytes)}`).join(' · ')}</p>}
    </>
  );
}

// A heap that stayed nearly full, although nothing failed because of it.
export function NearlyFullHeap({heap}: {heap: HeapShortage | null | undefined}) {
  if (!heap) return null;
  return (
    <section class="card">
      <h2>
        Nearly full after three collections <span class="soft">{formatTime(heap.timeMs)}</span>
      </h2>
      <FullHeap heap={heap} />
    </section>
  );
}
