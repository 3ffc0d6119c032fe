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
 * Reads an ICU message.
 *
 * @param targetLanguage determines the plural forms; by default those of the source are kept
 * @param doubled whether each apostrophe is written twice, as Java's MessageFormat requires
 * @param stays whether the choices keep their places in any case
 * @returns null if the text is not an ICU message
 */
export function readIcu(
  message: string,
  targetLanguage: string | undefined,
  doubled = false,
  stays = false,
): Message | null {
  let elements: MessageFormatElement[];
  try {
    elements = parse(message, { ignoreTag: true, captureLocation: true, shouldParseSkeletons: false });
  } catch {
    return null;
  }
  return messageOf(itemsOf(elements, message, null), {
    targetLanguage,
    stays,
    writeText: (text, { next, path }) => escapeLiteral(text, next, isInPlural(path), doubled),
  });
}

/** Whether a text has a choice in the syntax of ICU. Other texts with braces may be of another syntax. */
export function hasIcuChoice(text: string): boolean {
  return (
    /\{\s*[\p{L}\p{N}_.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/u.test(text) &&
    readIcu(text, undefined) !== null
  );
}

function itemsOf(elements: readonly MessageFormatElement[], message: string, plural: Choice | null): Item[] {
  return elements.map((element): Item => {
    if (element.type === TYPE.literal) return element.value;
    if (element.type === TYPE.pound) return plural ? { numberOf: plural } : '#';
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return choiceOf(element, message, plural);
    const { start, end } = element.location!;
    return { written: message.slice(start.offset, end.offset) };
  });
}

function choiceOf(element: PluralElement | SelectElement, message: string, plural: Choice | null): Choice {
  const { start } = Object.values(element.options)[0]!.value[0]?.location ?? element.location!;
  const head = message.slice(element.location!.start.offset, start.offset);
  const choice: Choice = {
    argument: element.value,
    type:
      element.type === TYPE.select ? 'select' : element.pluralType === 'ordinal' ? 'selectordinal' : 'plural',
    offset: element.type === TYPE.plural ? element.offset : 0,
    options: [],
    gap: /\n\s*/.exec(head)?.[0] ?? ' ',
  };
  const inner = element.type === TYPE.plural ? choice : plural;
  for (const [selector, { value }] of Object.entries(element.options))
    choice.options.push([selector, itemsOf(value, message, inner)]);
  return choice;
}

const isInPlural = (path: readonly Step[]) => path.length > 0 && path.at(-1)!.choice.type !== 'select';

/** @param next what follows the literal text: the next code, or the brace that ends the text */
function escapeLiteral(text: string, next: string, isPlural: boolean, doubled: boolean): string {
  const special = isPlural ? /[{}#]/ : /[{}]/;
  return text.replaceAll(isPlural ? /['{}#]+/g : /['{}]+/g, (run, at: number) => {
    const apostrophes = run.replaceAll("'", "''");
    if (special.test(run)) return `'${apostrophes}'`;
    const after = text[at + run.length] ?? next[0] ?? '';
    return doubled || run.length > 1 || /[{}#|<>]/.test(after) ? apostrophes : run;
  });
}
