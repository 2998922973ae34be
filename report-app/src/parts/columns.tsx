// Columns of sampled figures, for whatever rows have them.
import type {Figures} from '../model';
import {Bytes, ErrorOf, residentNote} from './figures';
import {formatBytes, formatDuration} from '../units';
import type {Column} from './table';

type Note = (figures: Figures) => string;

// `of`: a row's figures, the one that is shown, and what is known of its error.
export function bytesColumn<Row>(id: string, title: string, of: (row: Row) => [Figures, number | null | undefined, Note]): Column<Row> {
  return {
    id,
    title,
    look: 'number',
    value: (row) => of(row)[1],
    cell: (row) => {
      const [figures, value, note] = of(row);
      return <Bytes value={value} note={note(figures)} />;
    },
  };
}

// `residentAgeMs`: of a post-mortem's sites.
export function residentColumn<Row>(of: (row: Row) => Figures & {residentAgeMs?: number}): Column<Row> {
  return {
    id: 'resident',
    title: 'Resident',
    look: 'number',
    value: (row) => of(row).residentAtPeakBytes,
    cell: (row) => {
      const figures = of(row);
      return (
        <>
          <Bytes value={figures.residentAtPeakBytes} note={residentNote(figures)} least={figures.residentInPart} />
          {figures.residentLaterBytes != null && (
            <div class="of soft" title="first seen in memory when the peak had passed">
              {formatBytes(figures.residentLaterBytes)} later
            </div>
          )}
          {figures.residentAgeMs != null && (
            <div class="of soft" title="how long before the end pages were last looked up">
              {formatDuration(figures.residentAgeMs)} before
            </div>
          )}
        </>
      );
    },
  };
}

export function errorColumn<Row>(of: (row: Row) => Figures): Column<Row> {
  return {
    id: 'error',
    title: 'Error',
    look: 'number',
    value: (row) => of(row).errorBytes,
    cell: (row) => <ErrorOf figures={of(row)} />,
  };
}
