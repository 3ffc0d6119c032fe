import { type Finding, fileFinding } from '../document.ts';
import { type LeftShare, shareText, warnedShare } from '../left-share.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import type { XmlStartTag } from './xml-reader.ts';

/**
 * Returns the finding about content that stays untranslated.
 *
 * @param names the singular and the plural name of the content
 * @param by the name by which a request could include the content; undefined if it cannot
 */
export function keptFinding(
  count: number,
  [one, several]: readonly [string, string],
  by?: Includable | undefined,
): Finding {
  const subject = count === 1 ? `1 ${one} is` : `${count} ${several} are`;
  const how = by === undefined ? '' : offerOf(by);
  const message = `${subject} not translated${how}`;
  return fileFinding('info', 'unsupported_content_kept', message);
}

const offerOf = (by: Includable) => `; add \`${by}\` to \`include\` to translate them`;

/** Makes the findings about content that a request could include warnings with its share, if most of a page stays. */
export function withShares(findings: readonly Finding[], { share, kinds }: LeftShare): Finding[] {
  if (share <= warnedShare) return [...findings];
  return findings.map((finding) => {
    const kind = kinds.find(({ by }) => by && finding.message.endsWith(offerOf(by)));
    if (!kind?.by) return finding;
    const offer = offerOf(kind.by);
    const isOne = findings.filter(({ message }) => message.endsWith(offer)).length === 1;
    const share = `${shareText(kind.share)}${isOne ? '' : ', together'}`;
    const message = `${finding.message.slice(0, -offer.length)} (${share})${offer}`;
    return { ...finding, severity: 'warning', message };
  });
}

/** Returns the findings about content that stays untranslated, one for each kind that occurs. */
export function keptFindings(
  ...kinds: readonly [count: number, names: readonly [string, string], by?: Includable][]
): Finding[] {
  return kinds.flatMap(([count, names, by]) => (count > 0 ? [keptFinding(count, names, by)] : []));
}

/** Returns the finding about sheets or slides that a request does not select. */
export function notSelectedFinding(count: number, [one, several]: readonly [string, string]): Finding {
  const message = `${count === 1 ? `1 ${one} is` : `${count} ${several} are`} not selected; the text stays unchanged`;
  return { severity: 'info', code: 'not_selected', message, unitId: null };
}

/**
 * Returns the finding about pictures, whose text is not recognized.
 *
 * @param numbers the numbers of the slides or pages with pictures; the first ones are listed
 */
export function picturesKept(count: number, numbers: readonly number[] = [], one = 'slide'): Finding {
  const subject = count === 1 ? '1 picture is' : `${count} pictures are`;
  const listed = numbers.slice(0, 20).join(', ');
  const more = numbers.length > 20 ? ' and others' : '';
  const where = numbers.length === 0 ? '' : ` (${numbers.length === 1 ? one : `${one}s`} ${listed}${more})`;
  const message = `${subject} kept${where}; text in pictures is not translated`;
  return fileFinding('info', 'unsupported_content_kept', message);
}

/** The names of texts that screen readers read for a picture or shape. */
export const alternativeTexts = ['alternative text', 'alternative texts'] as const;

/** Returns the alternative texts of an element. Programs write the name of a picture's file there if no one writes a text. */
export function alternativeTextsOf({ attributes }: Pick<XmlStartTag, 'attributes'>): string[] {
  const texts = [attributes['descr'], attributes['title'], attributes['alt']];
  return texts.filter(
    (text): text is string => text !== undefined && letter.test(text) && !/^\S+\.\w{2,4}$/.test(text),
  );
}

/** The finding about a signed file. */
export const signatureFinding = fileFinding(
  'warning',
  'unsupported_content_kept',
  'the file is signed, but the signature does not apply to the translation',
);

/**
 * Returns the finding about charts whose names are copies of data in the file.
 *
 * @param program the program in which the data can be edited
 */
export function dataSheetsKept(charts: number, program: string): Finding {
  const subject = charts === 1 ? 'the data sheet of 1 chart' : `the data sheets of ${charts} charts`;
  const message = `${subject} ${charts === 1 ? 'is' : 'are'} not translated; if the data are edited in ${program}, the names of the source replace the translations`;
  return fileFinding('info', 'unsupported_content_kept', message);
}

/** The finding about a file without text. */
export const emptyFinding = fileFinding('info', 'no_translatable_text', 'the file has no text to translate');
