// A text to be pasted elsewhere, and a button that copies it.
import {useRef, useState} from 'preact/hooks';

async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page loaded by plain http has no clipboard API: selects the text and uses the browser's older command.
    const selection = getSelection();
    const range = document.createRange();
    range.selectNodeContents(shown);
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand('copy');
  }
}

export function Copyable({text}: {text: string}) {
  const [told, tell] = useState('Copy');
  const shown = useRef<HTMLElement>(null);
  const click = async () => {
    const copied = shown.current !== null && (await copy(text, shown.current));
    tell(copied ? 'Copied' : 'Press Ctrl+C');
    setTimeout(() => tell('Copy'), 2500);
  };
  return (
    <div class="copyable">
      <code ref={shown}>{text}</code>
      <button type="button" onClick={() => void click()} aria-label={`Copy ${text}`}>
        {told}
      </button>
      <span class="unseen" role="status">
        {told === 'Copy' ? '' : told}
      </span>
    </div>
  );
}
