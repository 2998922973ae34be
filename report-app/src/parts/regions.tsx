// What was in use of each of a container's regions, against what was requested for it.
import type {Bytes as ByteCount} from '../model';
import {formatBytes} from '../units';
import {Bar} from './bar';
import {REGION_LOOKS} from './container';
import {Bytes} from './figures';

interface RegionUse {
  name: string;
  bytes: ByteCount;
  budgetBytes: ByteCount;
}

// `measured`: when, as a column's title.
export function RegionTable({rows, measured, enforced}: {rows: RegionUse[]; measured: string; enforced?: boolean}) {
  const shown = rows.filter((region) => region.budgetBytes || region.bytes);
  if (shown.length === 0) return <p class="note">Nothing was requested for it by region.</p>;
  const whole = Math.max(1, ...shown.map((region) => Math.max(region.budgetBytes ?? 0, region.bytes ?? 0)));
  return (
    <table class="compact" aria-label="Regions">
      <thead>
        <tr>
          <th scope="col">Region</th>
          <th scope="col" class="graph">
            <span class="unseen">{measured} over budget</span>
          </th>
          <th scope="col" class="number">
            {measured}
          </th>
          <th scope="col" class="number">
            Budget
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((region) => {
          const over = !!region.budgetBytes && (region.bytes ?? 0) > region.budgetBytes;
          const look = over ? (enforced ? 'over' : 'beyond') : (REGION_LOOKS[region.name] ?? 'other');
          return (
            <tr>
              <td class="nowrap">
                <i class={`dot ${REGION_LOOKS[region.name] ?? 'other'}`} />
                {region.name}
              </td>
              <td class="graph">
                <Bar
                  parts={[{bytes: region.bytes ?? 0, look, title: `${measured.toLowerCase()} ${formatBytes(region.bytes ?? 0)}`}]}
                  whole={whole}
                  mark={region.budgetBytes}
                  label={`${region.name}, ${measured.toLowerCase()}`}
                />
              </td>
              <td class="number">
                <Bytes value={region.bytes} />
              </td>
              <td class="number">{region.budgetBytes === 0 ? <span class="soft">none</span> : <Bytes value={region.budgetBytes} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
