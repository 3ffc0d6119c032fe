import type { Range } from '../integrity/found.ts';

/** Marks that begin a quotation wherever they stand. */
const certainOpeners = '„‟「『';
/** Marks that begin a quotation in some languages and end it in others. */
const possibleOpeners = '“”«»"';

/** The characters that may precede a quotation. Chinese and Japanese put no space there. */
const opensQuotation = /[\s\0([—–¿¡/‚‘]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，：]/u;
const word = /[\p{L}\p{N}]/u;
const space = /\s/;

/** UTF-16 units in which the end of a wrong quotation is searched, to show it. */
const maxQuotation = 100;

/**
 * Finds quotations in other marks than those required. Marks inside of a quotation are nested and may be any. Single
 * marks are not compared, because most are apostrophes; nor are those after a digit, which are inches and seconds.
 * @param prose the result of `proseOf`
 * @param pair the opening and the closing mark
 */
export function wrongQuotations(prose: string, pair: string): Range[] {
  const [opening = '', closing = ''] = pair;
  const found: Range[] = [];
  let depth = 0;
  for (let at = 0; at < prose.length; at++) {
    const mark = prose[at]!;
    if (mark === '\n') {
      // A paragraph inside of a quotation may begin with an opening mark, and end without a closing one.
      depth = 0;
    } else if (depth > 0 && mark === closing && !isApostrophe(prose, at)) {
      depth -= 1;
    } else if (mark === opening && (opening !== closing || opens(prose, at)) && !isApostrophe(prose, at)) {
      depth += 1;
    } else if (
      depth === 0 &&
      (certainOpeners.includes(mark) || (possibleOpeners.includes(mark) && opens(prose, at)))
    ) {
      const end = endOf(prose, at);
      found.push({ start: at, end });
      at = end - 1;
    }
  }
  return found;
}

function opens(prose: string, at: number): boolean {
  const [before, after] = [prose[at - 1], prose[at + 1]];
  if (before !== undefined && !opensQuotation.test(before)) return false;
  // French puts a space inside of its marks.
  return after !== undefined && (!space.test(after) || (prose[at] === '«' && after !== '\n'));
}

function isApostrophe(prose: string, at: number): boolean {
  return prose[at] === '’' && word.test(prose[at - 1] ?? '') && word.test(prose[at + 1] ?? '');
}

/**
 * Returns a wrong quotation in the required marks, with the required space inside of « and ».
 * @returns undefined if the quotation has no end, or other marks inside of it
 */
export function requoted(
  quotation: string,
  pair: string,
  spacing: 'narrow_no_break' | 'none' | null,
): string | undefined {
  const inner = /^[„‟「『“”«»"](?<inner>[^„‟「『“”«»"」』]+)[“”«»"」』]$/u
    .exec(quotation)
    ?.groups?.['inner']?.trim();
  const [opening, closing] = pair;
  const inside = spacing === 'narrow_no_break' && opening === '«' ? '\u202f' : '';
  return inner && `${opening}${inside}${inner}${inside}${closing}`;
}

/** Returns the end of a quotation: after the next mark of the line, or else after its first mark. */
function endOf(prose: string, start: number): number {
  const rest = prose.slice(start + 1, start + maxQuotation);
  const length = /^[^\n„‟「『“”«»"」』]*[“”«»"」』]/u.exec(rest)?.[0].length ?? 0;
  return start + 1 + length;
}
