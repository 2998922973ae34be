// Stacks, and the way from a line to its allocation.
import type {Frame, Line, SiteGroup, Udf} from '../model';
import {framePlace, frameTitle, pathsOf, shortened, udfTitle} from '../titles';
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

// The frames below a line, for its heaviest sites.
export function Paths({line, group, most}: {line: Line; group: SiteGroup; most: number}) {
  const paths = pathsOf(line, group)
    .filter((path, index) => index === 0 || (path.site.liveAtPeakBytes ?? 0) >= (line.liveAtPeakBytes ?? 0) / 10)
    .filter((path) => path.steps.length > 0);
  return (
    <>
      {paths.slice(0, most).map((path) => (
        <div class={path.native ? 'under native' : 'under'}>
          <span class="function">{shortened(path.steps)}</span> <span class="place">{path.place}</span>
          {paths.length > 1 && (path.site.liveAtPeakBytes ?? 0) > 0 && (
            <span class="share">
              <Bytes value={path.site.liveAtPeakBytes} note={liveNote(path.site)} />
            </span>
          )}
        </div>
      ))}
    </>
  );
}

const STACKS = 12;

// All that a line's row leaves out: every stack with its figures.
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

export function UdfName({udf}: {udf: Udf}) {
  if (!udf.udf) return <span class="soft">outside any UDF</span>;
  return (
    <>
      <span class="code">{udfTitle(udf)}</span> {udf.udfKind && <span class="chip">{udf.udfKind}</span>}
    </>
  );
}
