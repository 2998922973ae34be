// Of several deaths' advice on one setting, the piece that would have helped all of them.
import type {Advice} from './model';

const UNITS: Record<string, number> = {'': 1, k: 1 << 10, m: 1 << 20, g: 1 << 30, t: 2 ** 40};

/** A number, or a size as Spark writes it ("2300m", "384 MB"); null: it is neither. */
function amountOf(value: string): number | null {
  const [, number, unit] = /^(-?\d+)\s*([kmgt]?)b?$/i.exec(value.trim()) ?? [];
  return number === undefined ? null : Number(number) * (UNITS[unit?.toLowerCase() ?? ''] ?? 1);
}

/** Those that go the same way: the largest of values that are raised, the smallest of those that are lowered. Others stay apart. */
export function strongest(pieces: Advice[]): Advice[] {
  const found = new Map<string, Advice>();
  for (const piece of pieces) {
    const to = piece.to === null ? null : amountOf(piece.to);
    const from = piece.from === null ? 0 : amountOf(piece.from);
    const comparable = piece.conf !== null && to !== null && from !== null;
    const raises = comparable && to > from;
    const key = JSON.stringify(comparable ? [piece.conf, raises] : piece.conf && piece.to ? [piece.conf, piece.to] : piece.because);
    const known = found.get(key);
    if (!known) {
      found.set(key, piece);
      continue;
    }
    const before = comparable ? amountOf(known.to!)! : 0;
    if (comparable && (raises ? to > before : to < before)) found.set(key, piece);
  }
  return [...found.values()];
}
