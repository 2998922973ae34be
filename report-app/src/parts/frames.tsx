// Stacks, and the way from a line to its allocation.
import type {Frame, Line, SiteGroup, Udf} from '../model';
import {framePlace, frameTitle, udfTitle} from '../titles';
import {Bytes, allocatedNote, liveNote} from './figures';

export function Frames({frames}: {frames: Frame[]}) {
  return (
    <ol class="frames">
      {frames.map((frame) => (
        <li class={frame.language}>
          <span class="function">{frameTitle(frame)}</span> <span class="place">{framePlace(frame)}</span>
        </li>
      ))}
    </ol>
  );
}

// The ways from a line to its memory, heaviest first.
export function Paths({line, group, most}: {line: Line; group: SiteGroup; most: number}) {
  return (
    <>
      {line.paths.slice(0, most).map((path) => {
        const site = group.sites[path.site];
        if (!path.text) return null;
        return (
          <div class={path.native ? 'under native' : 'under'}>
            <span class="function">{path.text}</span> <span class="place">{path.place}</span>
            {line.paths.length > 1 && site && (site.liveAtPeakBytes ?? 0) > 0 && (
              <span class="share">
                <Bytes value={site.liveAtPeakBytes} note={liveNote(site)} />
              </span>
            )}
          </div>
        );
      })}
    </>
  );
}

const STACKS = 12;

// What a line's row does not show: every stack with its figures.
export function Stacks({line, group}: {line: Line; group: SiteGroup}) {
  const sites = line.sites.flatMap((index) => group.sites[index] ?? []);
  if (sites.length === 0) return <p class="note">Its stacks were too light for rows of their own; their bytes are in this line’s figures.</p>;
  return (
    <div class="stacks">
      {sites.slice(0, STACKS).map((site) => (
        <div class="stack">
          <p class="note">
            <Bytes value={site.liveAtPeakBytes} note={liveNote(site)} /> live at peak, <Bytes value={site.allocatedBytes} note={allocatedNote(site)} />{' '}
            allocated
          </p>
          <Frames frames={site.frames} />
        </div>
      ))}
      {sites.length > STACKS && <p class="note">{sites.length - STACKS} lighter stacks are in report.json and in the flame graph.</p>}
    </div>
  );
}

export function UdfName({udf}: {udf: Udf & {ofPySpark?: boolean}}) {
  if (!udf.udf) return <span class="soft">{udfTitle(udf)}</span>;
  return (
    <>
      <span class="code">{udfTitle(udf)}</span> {udf.udfKind && <span class="chip">{udf.udfKind}</span>}
    </>
  );
}
