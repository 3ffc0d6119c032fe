import {
  type MessageFormatElement,
  type PluralElement,
  parse,
  type SelectElement,
  TYPE,
} from '@formatjs/icu-messageformat-parser';
import { hasVoidCode } from './inline-codes.ts';
import { categoriesOf, describeForm, type PluralType, samplesOf } from './plural-forms.ts';

/*
 * ICU messages, such as `{count, plural, one {# file} other {# files}} in {folder}`. Translators get whole sentences: what
 * stands around a choice is moved into each of its texts. The texts are those that the target language needs, so that a
 * Russian message gets the forms `one`, `few`, `many` and `other` from two English ones.
 */

/** One of the texts of a message, in the words that a translator sees. */
export interface MessageText {
  text: string;
  /** The choices that lead to the text, such as `few` or `female other`; undefined for a message without choices. */
  variant?: string;
  /** Describes the choices. */
  note?: string;
}

export interface Message {
  texts: readonly MessageText[];
  /** Returns the message with translations, in the order of `texts`. Its syntax is valid whatever they contain. */
  write(translations: readonly string[]): string;
}

/**
 * `optional`: an apostrophe quotes only before a brace, as in ICU. `doubled`: each apostrophe of a text is written twice, as
 * Java and Flutter with `use-escaping` require and ICU allows. `none`: an apostrophe quotes nothing, as in Flutter without it.
 */
export type Quoting = 'optional' | 'doubled' | 'none';

/** Maximum number of texts of one message. A choice within a choice multiplies them. */
const maxTexts = 64;

/**
 * Reads an ICU message.
 *
 * @param targetLanguage determines the plural forms; by default those of the source are kept
 * @param quoting how apostrophes are read and written
 * @returns null if the text is not an ICU message, or has more than 64 texts
 */
export function readIcu(
  written: string,
  targetLanguage: string | undefined,
  quoting: Quoting = 'optional',
): Message | null {
  let elements: MessageFormatElement[];
  const message = quoting === 'none' ? written.replaceAll("'", apostrophe) : written;
  try {
    elements = parse(message, { ignoreTag: true, captureLocation: true, shouldParseSkeletons: false });
  } catch {
    return null;
  }
  const leaves: Leaf[] = [];
  try {
    const tree = hoist(itemsOf(elements, message, null), [], { targetLanguage, leaves });
    return {
      texts: leaves.map(textOf).map((one) => ({ ...one, text: one.text.replaceAll(apostrophe, "'") })),
      write: (translations) => {
        const written = new Map(
          leaves.map((leaf, index) => [leaf, writeLeaf(leaf, translations[index]!, quoting)]),
        );
        return print(tree, written).replaceAll(apostrophe, "'");
      },
    };
  } catch (error) {
    if (error instanceof NotHoisted) return null;
    throw error;
  }
}

/** An apostrophe that quotes nothing, for the parser. Unicode does not allow this character in exchanged texts. */
const apostrophe = '\ufdd3';

/** Whether a text has a choice in the syntax of ICU. Other texts with braces may be of another syntax. */
export function hasIcuChoice(text: string): boolean {
  return (
    /\{\s*[\p{L}\p{N}_.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/u.test(text) &&
    readIcu(text, undefined) !== null
  );
}

/** The error for a message that would have too many texts, or whose numbers cannot be moved. */
class NotHoisted extends Error {}

/** A literal text, an argument as written, the number of a plural, or a choice. */
type Item = string | { written: string } | { numberOf: Choice } | Choice;

interface Choice {
  argument: string;
  type: 'plural' | 'selectordinal' | 'select';
  offset: number;
  options: [selector: string, items: Item[]][];
  /** The white space between the options. */
  gap: string;
}

/** A choice that leads to a text, with the selector of the option. */
interface Step {
  choice: Choice;
  selector: string;
  /** The form in words. */
  note: string;
}

interface Leaf {
  items: Exclude<Item, Choice>[];
  path: readonly Step[];
}

type Tree = Leaf | { choice: Choice; options: [selector: string, tree: Tree][] };

const isChoice = (item: Item): item is Choice => typeof item !== 'string' && 'options' in item;

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

interface Hoisting {
  targetLanguage: string | undefined;
  leaves: Leaf[];
}

/** Moves what stands around the first choice into each of its options, and so on for the choices inside. */
function hoist(items: readonly Item[], path: readonly Step[], hoisting: Hoisting): Tree {
  const at = items.findIndex(isChoice);
  if (at < 0) {
    const leaf = { items: items as Leaf['items'], path };
    if (hoisting.leaves.push(leaf) > maxTexts) throw new NotHoisted();
    return leaf;
  }
  const choice = items[at] as Choice;
  const options = optionsFor(choice, hoisting.targetLanguage).map(
    ({ selector, items: chosen, note }): [string, Tree] => [
      selector,
      hoist(
        [...items.slice(0, at), ...chosen, ...items.slice(at + 1)],
        [...path, { choice, selector, note }],
        hoisting,
      ),
    ],
  );
  return { choice, options };
}

/** Returns the options of a choice that the target language needs, in the order of the source and then of the CLDR. */
function optionsFor(choice: Choice, targetLanguage: string | undefined) {
  const { argument, type, options } = choice;
  const own = new Map(options);
  const of = (selector: string, note: string) => ({
    selector,
    items: own.get(selector) ?? own.get('other') ?? [],
    note,
  });
  if (type === 'select') return options.map(([selector]) => of(selector, `{${argument}} is “${selector}”`));
  const exact = options.flatMap(([selector]) =>
    selector.startsWith('=') ? [of(selector, `{${argument}} is ${selector.slice(1)}`)] : [],
  );
  const pluralType: PluralType = type === 'plural' ? 'cardinal' : 'ordinal';
  const categories = targetLanguage
    ? categoriesOf(targetLanguage, pluralType)
    : options.flatMap(([selector]) => (selector.startsWith('=') ? [] : [selector]));
  const forms = categories.map((category) => {
    const form = of(category, `${argument}: ${describeForm(targetLanguage ?? 'en', category, pluralType)}`);
    const isForMany =
      targetLanguage !== undefined && samplesOf(targetLanguage, category, pluralType).length > 1;
    return isForMany && !showsNumber(form.items) ? { ...form, items: own.get('other') ?? form.items } : form;
  });
  return [...exact, ...forms];
}

/**
 * Whether a text shows the number. In English, `one` may be "a file"; in Russian, the same form is for 21, too. Then the
 * text of `other` is its source. A void code counts, because it often stands for the number.
 */
function showsNumber(items: readonly Item[]): boolean {
  return items.some((item) =>
    typeof item === 'string' ? hasVoidCode(item) : 'numberOf' in item || 'written' in item || isChoice(item),
  );
}

function textOf(leaf: Leaf): MessageText {
  const { items, path } = leaf;
  const shown = shownCodesOf(leaf);
  const text = items
    .map((item) => {
      if (typeof item !== 'string') return codeOf(item, leaf);
      return shown.reduce((literal, code) => literal.replaceAll(code, quoted), item);
    })
    .join('');
  if (path.length === 0) return { text };
  return {
    text,
    variant: path.map(({ choice, selector }) => `${choice.argument} ${selector}`).join(', '),
    note: path.map(({ note }) => note).join('; '),
  };
}

/**
 * Returns an argument, or the number of a plural, as it is written in a text. `#` is the number only directly in an
 * option of the plural, and the text must not have another `#`.
 */
function codeOf(item: Exclude<Item, string | Choice>, { items, path }: Leaf): string {
  if ('written' in item) return item.written;
  const plural = item.numberOf;
  const hasSign = items.some((other) => typeof other === 'string' && other.includes('#'));
  if (path.at(-1)?.choice === plural && !hasSign) return '#';
  if (plural.offset !== 0) throw new NotHoisted();
  return `{${plural.argument}, number}`;
}

const quoted = "'$&'";

/** Returns the arguments of a text as they are written in it. */
function codesOf(leaf: Leaf): Set<string> {
  return new Set(leaf.items.flatMap((item) => (typeof item === 'string' ? [] : [codeOf(item, leaf)])));
}

/** Returns the arguments that a text also has as words. There, it has them in quotes. */
function shownCodesOf(leaf: Leaf): string[] {
  const words = leaf.items.filter((item) => typeof item === 'string').join('\n');
  return words.includes('{') ? [...codesOf(leaf)].filter((code) => code !== '#' && words.includes(code)) : [];
}

/** Writes a translation as ICU: the arguments of its text stay, and all other characters are escaped where necessary. */
function writeLeaf(leaf: Leaf, translation: string, quoting: Quoting): string {
  const { path } = leaf;
  const codes = [...codesOf(leaf), ...shownCodesOf(leaf).map((code) => code.replace(code, quoted))];
  const isPlural = path.length > 0 && path.at(-1)!.choice.type !== 'select';
  const pattern = codes
    .sort((a, b) => b.length - a.length)
    .map((code) => RegExp.escape(code))
    .join('|');
  const text = quoting === 'none' ? translation.replaceAll("'", apostrophe) : translation;
  const parts = pattern === '' ? [text] : text.split(new RegExp(`(${pattern})`));
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const next = parts[index + 1] ?? (path.length > 0 ? '}' : '');
      return escapeLiteral(part, next, isPlural, quoting);
    })
    .join('');
}

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

function print(tree: Tree, written: ReadonlyMap<Leaf, string>): string {
  if ('items' in tree) return written.get(tree)!;
  const { argument, type, offset, gap } = tree.choice;
  const head = `{${argument}, ${type},${offset === 0 ? '' : ` offset:${offset}`}`;
  const options = tree.options
    .map(([selector, inner]) => `${gap}${selector} {${print(inner, written)}}`)
    .join('');
  const end = gap === ' ' ? '' : gap.replace(/(?:\t| {2})$/, '');
  return `${head}${options}${end}}`;
}
