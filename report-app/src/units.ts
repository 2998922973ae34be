// How numbers are written: the same as in the terminal (common/report/units.cc).

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

// To a whole number; a tie goes to the even one, as in C++.
function rounded(value: number): number {
  const down = Math.floor(value);
  return value - down === 0.5 ? down + (down % 2) : Math.round(value);
}

function oneDecimal(value: number): string {
  return (rounded(value * 10) / 10).toFixed(1);
}

export function formatBytes(bytes: number): string {
  if (bytes < 0) return '-' + formatBytes(-bytes);
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit + 1 < UNITS.length) {
    value /= 1024;
    ++unit;
  }
  return `${oneDecimal(value)} ${UNITS[unit]}`;
}

export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function formatPercent(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 1 ? '<1 %' : `${rounded(percent)} %`;
}

export function formatTime(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 19).replace('T', ' ') + ' UTC';
}

export function formatDuration(ms: number): string {
  if (ms < 0) return '–';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const two = (number: number) => String(number).padStart(2, '0');
  if (minutes < 60) return `${minutes} min ${two(Math.floor(ms / 1000) % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

export function formatError(errorBytes: number | null): string {
  if (errorBytes === null) return '± unknown';
  return errorBytes === 0 ? 'exact' : `± ${formatBytes(errorBytes)}`;
}

export function plural(count: number, one: string, many = one + 's'): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
