/**
 * Returns a term on one line and without white space at its edges, and what was changed. Line breaks, other control
 * characters and the spaces around them become one space.
 */
export function oneLine(written: string): { text: string; note?: 'trimmed' | 'line_break' } {
  const text = written.trim();
  if (lineBreaks.test(text)) return { text: text.split(lineBreaks).join(' '), note: 'line_break' };
  return text === written ? { text } : { text, note: 'trimmed' };
}

const lineBreaks = / *[\p{Cc}\p{Zl}\p{Zp}][\p{Cc}\p{Zl}\p{Zp} ]*/u;
