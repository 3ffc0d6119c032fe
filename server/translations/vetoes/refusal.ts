import type { QualityIssue } from '#server/engines/engine.ts';
import { isInsideWord } from './keyed-patterns.ts';
import {
  announcements,
  apologies,
  artificialIntelligence,
  refusals,
  selfReferences,
  translations,
} from './remark-phrases.ts';
import { critical, readable, type TextPair } from './text-pair.ts';

/** UTF-16 units of a text in which each kind of remark is looked for. */
const opening = 160;
const edge = 1000;

/** How far from the start an announcement may stand: behind "Sure!" or a heading's marks. */
const lead = 12;

/**
 * A model's own words where the translation should be: a refusal, a remark on itself, an announcement. Not where the
 * source speaks of the like: an apology is translated by an apology.
 */
export function refusalIssue({ source, target }: TextPair): QualityIssue | undefined {
  const said = plain(target.slice(0, edge));
  const edges = target.length <= edge ? said : `${said}\n${plain(target.slice(-edge))}`;
  const start = said.slice(0, opening);
  if (finds(refusal, start) && !mentions(apology, source))
    return critical('accuracy', 'The answer is a refusal, not a translation.', target);
  if (finds(selfReference, edges) && !mentions(intelligence, source))
    return critical('accuracy', 'The answer speaks of the model itself, which the source does not.', target);
  if (finds(announcement, start, lead) && !mentions(translation, source.slice(0, opening)))
    return critical('accuracy', 'The answer announces a translation, which the source does not.', target);
  return undefined;
}

type Phrase = readonly string[];

/** Each phrase as the parts that stand in it one after the other. */
function phrases(lists: readonly string[]): Phrase[] {
  return lists.flatMap((list) => list.split('|').map((phrase) => plain(phrase).split(' … ')));
}

const refusal = phrases(refusals);
const selfReference = phrases(selfReferences);
const announcement = phrases(announcements);
const apology = phrases(apologies);
const translation = phrases(translations);
const intelligence = phrases(artificialIntelligence);

/** The abbreviations of artificial intelligence, as words of their own. */
const abbreviation = /(?<![\p{L}\p{M}])(?:ai|ki|ia|si|mi|yz|ии|ші|τν|gpt|llm|bot)(?![\p{L}\p{M}])/u;

function mentions(list: readonly Phrase[], source: string): boolean {
  const text = plain(source);
  return finds(list, text) || (list === intelligence && abbreviation.test(text));
}

/** Whether `text` has one of the phrases, starting at `latest` or before. */
function finds(list: readonly Phrase[], text: string, latest = text.length): boolean {
  return list.some(([first, ...rest]) => {
    const start = text.indexOf(first!);
    if (start < 0 || start > latest || isInsideWord(text, start)) return false;
    let end = start + first!.length;
    return rest.every((part) => {
      const at = text.indexOf(part, end);
      end = at + part.length;
      return at >= 0;
    });
  });
}

/** In lower case, with plain apostrophes and spaces, without the marks that open a quotation, a heading or a list. */
function plain(text: string): string {
  return readable(text)
    .toLowerCase()
    .replace(/[’ʼ`]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'«„“¡¿#*_>([-]+/, '');
}
