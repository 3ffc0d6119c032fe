/** Compares letters without case and accents. */
const collator = new Intl.Collator('und', { usage: 'search', sensitivity: 'base' });

/**
 * Returns the first part of a name that matches a text, as UTF-16 offsets; undefined if none does. Case and accents are
 * ignored. An empty text matches at the beginning.
 */
export function matchOf(name: string, text: string): { start: number; end: number } | undefined {
  const sought = text.trim();
  for (let start = 0; start + sought.length <= name.length; start++) {
    const end = start + sought.length;
    if (collator.compare(name.slice(start, end), sought) === 0) return { start, end };
  }
  return undefined;
}
