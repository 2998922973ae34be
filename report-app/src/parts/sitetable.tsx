// Call sites: of the JVM within a stage, and of everything that a dying container held.
import {useMemo} from 'preact/hooks';
import {ORIGIN_TITLES} from '../digest';
import type {Site} from '../model';
import {link} from '../route';
import {framePlace, frameTitle, leadFrame, udfTitle} from '../titles';
import {formatBytes} from '../units';
import {Share} from './bar';
import {bytesColumn, errorColumn, residentColumn} from './columns';
import {allocatedNote, liveNote} from './figures';
import {Frames} from './frames';
import {DataTable, type Column} from './table';

interface SiteRow {
  key: string;
  site: Site;
  stage: string | null; // "2.0"
}

interface SiteTableProps {
  label: string;
  rows: SiteRow[];
  by: 'live' | 'allocated';
  withStage: boolean;
  empty: string;
}

function askedBy(site: Site): string {
  const frame = site.askedBy == null ? undefined : site.frames[site.askedBy];
  return frame && frame !== leadFrame(site) ? `, asked by ${frameTitle(frame)}` : '';
}

function SiteName({site}: {site: Site}) {
  const lead = leadFrame(site);
  const last = site.frames[site.frames.length - 1];
  if (!lead) return <span class="soft">no frames</span>;
  const python = lead.language === 'python';
  const below = last && last !== lead && python ? last : undefined;
  return (
    <div class="code">
      <span class={python ? 'place strong' : 'function strong'}>{python ? framePlace(lead) : frameTitle(lead)}</span>{' '}
      <span class={python ? 'function' : 'place'}>{python ? frameTitle(lead) : framePlace(lead)}</span>
      {below && (
        <div class={below.language === 'native' ? 'under native' : 'under'}>
          <span class="function">{frameTitle(below)}</span> <span class="place">{framePlace(below)}</span>
        </div>
      )}
    </div>
  );
}

function columnsOf(largest: number, by: 'live' | 'allocated', withStage: boolean): Column<SiteRow>[] {
  const weight = (site: Site) => (by === 'live' ? site.liveAtPeakBytes : site.allocatedBytes);
  const columns: Column<SiteRow>[] = [
    {
      id: 'site',
      title: 'Call site',
      look: 'main',
      value: ({site}) => {
        const lead = leadFrame(site);
        return lead ? frameTitle(lead) : '';
      },
      cell: ({site}) => (
        <>
          <SiteName site={site} />
          <div class="of soft">
            {ORIGIN_TITLES[site.origin] ?? site.origin}
            {site.stageId != null ? `, stage ${site.stageId}` : ''}
            {site.thread ? `, ${site.thread}` : ''}
            {site.leftByEarlierTasks ? ', left by earlier tasks' : ''}
            {site.udf ? `, ${udfTitle(site)}` : ''}
            {site.operator ? `, for ${site.operator}` : ''}
            {askedBy(site)}
          </div>
        </>
      ),
    },
    {
      id: 'graph',
      title: 'Share',
      look: 'graph',
      cell: ({site}) => (
        <Share bytes={weight(site)} whole={largest} look={site.origin === 'python' ? 'python' : 'jvm'} label={formatBytes(weight(site) ?? 0)} />
      ),
    },
    bytesColumn('live', by === 'live' ? 'Held' : 'Live at peak', ({site}) => [site, site.liveAtPeakBytes, liveNote]),
    residentColumn(({site}) => site),
    bytesColumn('allocated', 'Allocated', ({site}) => [site, site.allocatedBytes, allocatedNote]),
    errorColumn(({site}) => site),
  ];
  if (withStage) {
    columns.splice(1, 0, {
      id: 'stage',
      title: 'Stage',
      value: ({stage}) => stage,
      cell: ({stage}) => (stage === null ? '' : <a href={link('stages', stage)}>{stage.replace(/\.0$/, '')}</a>),
    });
  }
  return columns;
}

export function SiteTable({label, rows, by, withStage, empty}: SiteTableProps) {
  const largest = useMemo(
    () => rows.reduce((most, {site}) => Math.max(most, (by === 'live' ? site.liveAtPeakBytes : site.allocatedBytes) ?? 0), 0),
    [rows, by],
  );
  const columns = useMemo(() => columnsOf(largest, by, withStage), [largest, by, withStage]);
  return (
    <DataTable
      label={label}
      rows={rows}
      columns={columns}
      rowKey={({key}) => key}
      sortBy={by}
      words={({site}) => site.frames.map((frame) => `${frameTitle(frame)} ${framePlace(frame)}`).join(' ') + udfTitle(site) + (site.operator ?? '')}
      filterHint="Filter by any frame or operator"
      empty={empty}
      detail={({site}) => <Frames frames={site.frames} />}
      detailTitle={({site}) => {
        const lead = leadFrame(site);
        return lead ? frameTitle(lead) : 'a site without frames';
      }}
      pageSize={10}
    />
  );
}
