// A bar of parts side by side, drawn to the scale that the caller gives, and marks across it.

export interface Part {
  bytes: number;
  look: string; // a class of style.css
  title: string;
}

interface BarProps {
  parts: Part[];
  whole: number; // what the full width stands for
  mark?: number | null | undefined; // a line there
  size?: 'tall' | 'thin' | 'budget';
  label: string;
}

export function Bar({parts, whole, mark, size = 'thin', label}: BarProps) {
  const scale = whole > 0 ? 100 / whole : 0;
  let at = 0;
  const told = parts.filter((part) => part.bytes > 0).map((part) => part.title);
  return (
    <svg class={`bar ${size}`} role="img" aria-label={told.length > 0 ? `${label}: ${told.join('; ')}` : `${label}: nothing measured`}>
      <rect class="track" width="100%" height="100%" />
      {parts.map((part) => {
        const from = at;
        at = Math.min(100, at + Math.max(0, part.bytes) * scale);
        if (at <= from) return null;
        return (
          <rect class={part.look} x={`${from.toFixed(3)}%`} width={`${(at - from).toFixed(3)}%`} height="100%">
            <title>{part.title}</title>
          </rect>
        );
      })}
      {mark !== null && mark !== undefined && mark * scale <= 100.01 && (
        <line class="mark" x1={`${Math.min(99.8, mark * scale).toFixed(3)}%`} x2={`${Math.min(99.8, mark * scale).toFixed(3)}%`} y1="0" y2="100%" />
      )}
    </svg>
  );
}

export function Share({bytes, whole, look, label}: {bytes: number | null; whole: number; look: string; label: string}) {
  return <Bar parts={[{bytes: bytes ?? 0, look, title: label}]} whole={whole} label="share" />;
}
