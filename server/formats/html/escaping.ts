/** Writes texts as a file does. Only characters that HTML needs as references are written so. */
export interface HtmlWriter {
  text(text: string): string;
  /** @param quote the quote around the value */
  value(text: string, quote: string): string;
}

/**
 * Returns the functions that write texts for a file: with the reference that the file has for no-break spaces, and with
 * references for all characters that the declared encoding of the file may not have.
 */
export function writerFor(source: string): HtmlWriter {
  const space = /&(?:nbsp|#160|#xa0);/i.exec(source)?.[0] ?? '\u00a0';
  const [, charset = 'utf-8'] =
    /<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([\w-]+)/i.exec(source.slice(0, 10_000)) ?? [];
  const isUnicode = /^utf-?(?:8|16)/i.test(charset);
  const text = (plain: string): string => {
    const written = plain.replace(/&/g, '&amp;').replace(/</g, '&lt;').replaceAll('\u00a0', space);
    if (isUnicode) return written;
    return written.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
  };
  return {
    text,
    value: (plain, quote) => text(plain).replaceAll(quote, quote === '"' ? '&quot;' : '&#39;'),
  };
}
