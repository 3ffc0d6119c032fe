import {
  type MessageFormatElement,
  type PluralElement,
  parse,
  type SelectElement,
  TYPE,
} from '@formatjs/icu-messageformat-parser';
import { type Choice, type Item, type Message, messageOf, type Step } from './choices.ts';

/*
 * ICU messages, such as `{count, plural, one {# file} other {# files}} in {folder}`.
 */

/**
 * `optional`: an apostrophe quotes only before a brace, as in ICU. `doubled`: each apostrophe of a text is written twice, as
 * Java and Flutter with `use-escaping` require and ICU allows. `none`: an apostrophe quotes nothing, as in Flutter without it.
 */
export type Quoting = 'optional' | 'doubled' | 'none';

/**
 * Reads an ICU message.
 *
 * @param targetLanguage determines the plural forms; by default those of the source are kept
 * @param quoting how apostrophes are read and written
 * @param stays whether the choices keep their places in any case
 * @returns null if the text is not an ICU message
 */
export function readIcu(
  message: string,
  targetLanguage: string | undefined,
  quoting: Quoting = 'optional',
  stays = false,
): Message | null {
  let elements: MessageFormatElement[];
  const text = {
    none: () => message.replaceAll("'", apostrophe),
    optional: () => message.replace(quotedName, `${around}$1${around}`),
    doubled: () => message,
  }[quoting]();
  try {
    elements = parse(text, { ignoreTag: true, captureLocation: true, shouldParseSkeletons: false });
  } catch {
    return null;
  }
  return messageOf(itemsOf(elements, text, null), {
    targetLanguage,
    stays,
    writeText: (text, { next, path, isCode }) =>
      isCode ? `'${text}'` : escapeLiteral(text, next, isInPlural(path), quoting),
  });
}

/**
 * A name in braces and apostrophes. It is an argument for programs in which apostrophes quote nothing, and a text for others, so it
 * stays as it is.
 */
const quotedName = /(?<!')'(\{\w+\})'(?!')/g;

/** Apostrophes that quote nothing, for the parser. Unicode does not allow these characters in exchanged texts. */
const [apostrophe, around] = ['\ufdd3', '\ufdd4'];

const withApostrophes = (text: string) => text.replaceAll(apostrophe, "'").replaceAll(around, '');

/** Whether a text has a choice in the syntax of ICU. Other texts with braces may be of another syntax. */
export function hasIcuChoice(text: string): boolean {
  return (
    /\{\s*[\p{L}\p{N}_.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/u.test(text) &&
    readIcu(text, undefined) !== null
  );
}

/** @param text what the parser has read */
function itemsOf(elements: readonly MessageFormatElement[], text: string, plural: Choice | null): Item[] {
  return elements.map((element): Item => {
    if (element.type === TYPE.literal) return withApostrophes(element.value);
    if (element.type === TYPE.pound) return plural ? { numberOf: plural } : '#';
    if (element.type === TYPE.plural || element.type === TYPE.select) return choiceOf(element, text, plural);
    const { start, end } = element.location!;
    const margin = text[start.offset - 1] === around && text[end.offset] === around ? 1 : 0;
    const written = text.slice(start.offset - margin, end.offset + margin);
    return { written: written.replaceAll(new RegExp(`[${apostrophe}${around}]`, 'g'), "'") };
  });
}

function choiceOf(element: PluralElement | SelectElement, text: string, plural: Choice | null): Choice {
  const { start } = Object.values(element.options)[0]!.value[0]?.location ?? element.location!;
  const head = text.slice(element.location!.start.offset, start.offset);
  const choice: Choice = {
    argument: withApostrophes(element.value),
    type:
      element.type === TYPE.select ? 'select' : element.pluralType === 'ordinal' ? 'selectordinal' : 'plural',
    offset: element.type === TYPE.plural ? element.offset : 0,
    options: [],
    gap: /\n\s*/.exec(head)?.[0] ?? ' ',
  };
  const inner = element.type === TYPE.plural ? choice : plural;
  for (const [selector, { value }] of Object.entries(element.options))
    choice.options.push([withApostrophes(selector), itemsOf(value, text, inner)]);
  return choice;
}

const isInPlural = (path: readonly Step[]) => path.length > 0 && path.at(-1)!.choice.type !== 'select';

/** @param next what follows the literal text: the next code, or the brace that ends the text */
function escapeLiteral(text: string, next: string, isPlural: boolean, quoting: Quoting): string {
  // Without quotes, a text cannot have braces.
  if (quoting === 'none') return text.replaceAll('{', '(').replaceAll('}', ')');
  const special = isPlural ? /[{}#]/ : /[{}]/;
  return text.replaceAll(isPlural ? /['{}#]+/g : /['{}]+/g, (run, at: number) => {
    const apostrophes = run.replaceAll("'", "''");
    if (special.test(run)) return `'${apostrophes}'`;
    const after = text[at + run.length] ?? next[0] ?? '';
    return quoting === 'doubled' || run.length > 1 || /[{}#|<>]/.test(after) ? apostrophes : run;
  });
}
