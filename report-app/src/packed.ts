// The model in a file, beside the script: plain JSON or, if it is large, gzip in Base64.

/** The model's text; null: it can't be unpacked. */
export async function modelText(element: HTMLElement | null): Promise<string | null> {
  const text = element?.textContent ?? '';
  if (element?.getAttribute('type') !== 'application/gzip') return text;
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  } catch {
    return null;
  }
}
