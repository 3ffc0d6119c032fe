import type { Found, Range } from './found.ts';

/** `{{PLURAL:$1|page|pages}}`: MediaWiki's choice among forms of words. */
export interface WikiForms {
  /** What chooses: `$1`; of GRAMMAR the case. */
  argument: string;
  /** `{{PLURAL:$1` as the text has it. */
  head: Found;
  isGrammar: boolean;
}

/** What a form begins with beside its text: "2=" is a key, and "1 page" says what the key does. */
const key = /\d{1,4}=|1(?=\s)/y;
const head = /\{\{(PLURAL|GENDER|GRAMMAR):([^{}|\n\0]{0,60})\|/iy;

/**
 * The choices among forms in a text, and their syntax: heads, bars and closing braces. Between them lies text. Other
 * choices within one are jumped over, so that each character is read once.
 * @param pairs the closing brace of each opening one
 */
export function findWikiForms(
  text: string,
  pairs: ReadonlyMap<number, number>,
): { forms: WikiForms[]; syntax: Range[] } {
  const forms: WikiForms[] = [];
  const syntax: Range[] = [];
  for (const [start, end] of pairs) {
    if (text[start + 1] !== '{' || pairs.get(start + 1) !== end - 1) continue;
    head.lastIndex = start;
    const match = head.exec(text);
    if (match === null) continue;
    const span = match[0].slice(0, -1);
    forms.push({
      argument: match[2]!.trim(),
      head: { key: span, span, start, end: start + span.length },
      isGrammar: match[1]!.toUpperCase() === 'GRAMMAR',
    });
    syntax.push({ start, end: head.lastIndex }, { start: end - 1, end: end + 1 });
    for (let i = head.lastIndex - 1; i < end - 1; i += 1) {
      if (text[i] === '|') {
        key.lastIndex = i + 1;
        const isForm = match[1]!.toUpperCase() === 'PLURAL' && key.test(text);
        syntax.push({ start: i, end: isForm ? key.lastIndex : i + 1 });
      }
      i = pairs.get(i) ?? i;
    }
  }
  return { forms, syntax };
}
