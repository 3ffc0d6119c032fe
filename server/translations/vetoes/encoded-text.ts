/** A run that may be base64: longer than words are, and bounded. */
const run = /[A-Za-z0-9+/_-]{24,8192}={0,2}/g;

const mostRuns = 50;

/** The readable texts that stand in `text` as base64, at most 50. Keys, hashes and images decode to nothing readable. */
export function encodedText(text: string): string[] {
  const found: string[] = [];
  let looked = 0;
  for (const [candidate] of text.matchAll(run)) {
    if (looked++ === mostRuns) break;
    // A long word or address has no digit or no capital.
    if (!/[A-Z]/.test(candidate) || !/[a-z]/.test(candidate)) continue;
    const decoded = Buffer.from(candidate, 'base64').toString('utf8');
    if (isReadable(decoded)) found.push(decoded);
  }
  return found;
}

function isReadable(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const strange = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\r\n\t]|\uFFFD/gu)?.length ?? 0;
  return strange === 0 && letters > 0.6 * text.length && /\s/.test(text);
}
