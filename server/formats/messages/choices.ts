import { clip } from '../text.ts';
import { hasVoidCode } from './inline-codes.ts';
import { categoriesOf, describeForm, type PluralType, samplesOf } from './plural-forms.ts';

/*
 * Messages with choices. Translators get whole sentences: what stands around a choice is moved into each of its texts. The
 * texts are those that the target language needs, so that a Russian message gets the forms `one`, `few`, `many` and `other`
 * from two English ones.
 *
 * Several choices multiply the sentences. If they are too many, each choice keeps its place: its options are texts, and
 * the text around it has an argument in its place.
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
  /** Set if the message has the plural forms of the source, because it would have too many with those of the target. */
  hasFormsOfSource?: true;
  /** Returns the message with translations, in the order of `texts`. Its syntax is valid whatever they contain. */
  write(translations: readonly string[]): string;
}

/** In a message with more whole sentences, choices keep their places, unless it would have more texts then. */
const maxSentences = 16;

/** The maximum number of whole sentences in any case, because what stands around a choice is repeated in each. */
const maxRepeats = 64;

/** The maximum number of texts in a written message. Choices within choices multiply them. */
const maxWritten = 1_000;

/** A literal text, an argument as written, the number of a plural, or a choice. */
export type Item = string | { written: string } | { numberOf: Choice } | Choice;

export interface Choice {
  argument: string;
  /** `choice` is that of Java's MessageFormat. */
  type: 'plural' | 'selectordinal' | 'select' | 'choice';
  offset: number;
  options: [selector: string, items: Item[]][];
  /** The white space between the options. */
  gap: string;
  /** For `choice`: the characters before the options. */
  head?: string;
}

/** A choice that leads to a text, with the selector of the option. */
export interface Step {
  choice: Choice;
  selector: string;
  /** The form in words. */
  note: string;
}

interface Leaf {
  items: readonly Item[];
  path: readonly Step[];
  /** For a text whose choices keep their places: their options, and the text around its own choice. */
  inside?: { choices: ReadonlyMap<Choice, Tree>; frame: Leaf | undefined };
}

interface Options {
  choice: Choice;
  options: [selector: string, tree: Tree][];
}

type Tree = Leaf | Options;

const isChoice = (item: Item): item is Choice => typeof item !== 'string' && 'options' in item;

interface MessageSyntax {
  /** Determines the plural forms; by default those of the source are kept. */
  targetLanguage: string | undefined;
  /** Whether the choices keep their places in any case. */
  stays?: boolean;
  /** Writes a literal text of a message, or of an option. */
  writeText(text: string, place: LiteralPlace): string;
}

interface LiteralPlace {
  /** The next code after the text, or the brace that ends the option. */
  next: string;
  path: readonly Step[];
  isOption: boolean;
  /** Whether the whole text has an argument or a brace. */
  hasBrace: boolean;
  /** Whether the text looks like an argument, but is words. */
  isCode: boolean;
}

/** Returns the message of which these are the items. */
export function messageOf(
  items: readonly Item[],
  { targetLanguage, stays = false, writeText }: MessageSyntax,
): Message {
  const hasForms = countTexts(items, targetLanguage) <= maxWritten;
  const language = hasForms ? targetLanguage : undefined;
  const { leaves, tree } = (stays ? undefined : sentencesOf(items, language)) ?? partsOf(items, language);
  return {
    texts: leaves.map(textOf),
    ...(!hasForms && { hasFormsOfSource: true as const }),
    write: (translations) => {
      const texts = new Map(leaves.map((leaf, index) => [leaf, translations[index]!]));
      const print = (one: Tree): string => {
        if ('choice' in one) return printChoice(one, print);
        return writeLeaf(one, texts.get(one)!, writeText, print);
      };
      return print(tree);
    },
  };
}

/** Texts in the order in which they are translated, and the message that consists of them. */
interface Plan {
  leaves: readonly Leaf[];
  tree: Tree;
}

/** Returns the whole sentences of a message; undefined if they are too many, or if a number cannot be moved. */
function sentencesOf(items: readonly Item[], language: string | undefined): Plan | undefined {
  const leaves: Leaf[] = [];
  const count = countTexts(items, language, true);
  if (count > maxSentences && (count > maxRepeats || count > partsOf(items, language).leaves.length))
    return undefined;
  const tree = hoist(items, []);
  const canMove = leaves.every((leaf) =>
    leaf.items.every((item) => typeof item === 'string' || canShow(item, leaf)),
  );
  return canMove ? { leaves, tree } : undefined;

  /** Moves what stands around the first choice into each of its options, and so on for the choices inside. */
  function hoist(own: readonly Item[], path: readonly Step[]): Tree {
    const at = own.findIndex(isChoice);
    if (at < 0) {
      const leaf = { items: own, path };
      leaves.push(leaf);
      return leaf;
    }
    const choice = own[at] as Choice;
    const options = optionsFor(choice, language).map(({ selector, items: chosen, note }): [string, Tree] => [
      selector,
      hoist([...own.slice(0, at), ...chosen, ...own.slice(at + 1)], [...path, { choice, selector, note }]),
    ]);
    return { choice, options };
  }
}

/** Returns the number of texts in a written message, or of its whole sentences. Choices within each other multiply both. */
function countTexts(items: readonly Item[], language: string | undefined, areWhole = false): number {
  const counts = new Map<readonly Item[], number>();
  const count = (own: readonly Item[]): number => {
    const known = counts.get(own);
    if (known !== undefined) return known;
    const choices = own
      .filter(isChoice)
      .map((choice) => optionsFor(choice, language).reduce((sum, option) => sum + count(option.items), 0));
    const total = choices.reduce((all, one) => (areWhole ? all * one : all + one), 1);
    counts.set(own, total);
    return total;
  };
  return count(items);
}

/**
 * Returns the texts of a message whose choices keep their places. Forms of an outer choice that have the same source
 * share the choices inside of it.
 */
function partsOf(items: readonly Item[], language: string | undefined): Plan {
  const leaves: Leaf[] = [];
  const choices = new Map<Choice, Tree>();
  const read = (own: readonly Item[], path: readonly Step[], frame: Leaf | undefined): Leaf => {
    const leaf: Leaf = { items: own, path, inside: { choices, frame } };
    leaves.push(leaf);
    for (const choice of own.filter(isChoice)) {
      if (choices.has(choice)) continue;
      const tree: Options = { choice, options: [] };
      choices.set(choice, tree);
      for (const { selector, items: chosen, note } of optionsFor(choice, language))
        tree.options.push([selector, read(chosen, [{ choice, selector, note }], leaf)]);
    }
    return leaf;
  };
  return { leaves, tree: read(items, [], undefined) };
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
  if (type === 'choice')
    return options.map(([selector]) => {
      const sign = selector.includes('<') ? '>' : '≥';
      return of(selector, `{${argument}} ${sign} ${selector.replace(/[#<≤]/, '').trim()}`);
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
  const { items, path, inside } = leaf;
  const codes = codesOf(leaf);
  const text = shownText(leaf);
  const notes = path.map(({ note }) => note);
  if (inside?.frame) notes.push(`a part of “${clip(shownText(inside.frame).trim(), maxShown)}”`);
  for (const choice of items.filter(isChoice)) {
    const [, own] = (inside!.choices.get(choice) as Options).options.at(-1)!;
    notes.push(`${codes.get(choice)} is, for example, “${clip(shownText(own as Leaf).trim(), maxShown)}”`);
  }
  return {
    text,
    ...(path.length > 0 && {
      variant: path.map(({ choice, selector }) => `${choice.argument} ${selector}`).join(', '),
    }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
}

/** The maximum number of characters of a text in the note of another one. */
const maxShown = 300;

function shownText(leaf: Leaf): string {
  const codes = codesOf(leaf);
  const inWords = codesInWords(leaf);
  return leaf.items
    .map((item) => {
      if (typeof item !== 'string') return codes.get(item)!;
      return inWords.reduce((words, code) => words.replaceAll(code, "'$&'"), item);
    })
    .join('');
}

/** Returns the arguments of a text that it also has as words. There, a translator sees them in quotes. */
function codesInWords(leaf: Leaf): string[] {
  const words = leaf.items.filter((item) => typeof item === 'string').join('\n');
  if (!words.includes('{')) return [];
  return [...new Set(codesOf(leaf).values())].filter((code) => code !== '#' && words.includes(code));
}

/** Returns the arguments, numbers and choices of a text as a translator sees them. No two choices look the same. */
function codesOf(leaf: Leaf): Map<Exclude<Item, string>, string> {
  const codes = new Map<Exclude<Item, string>, string>();
  for (const item of leaf.items) {
    if (typeof item === 'string') continue;
    if ('written' in item) codes.set(item, item.written);
    else if ('numberOf' in item)
      codes.set(item, isNumberSign(item, leaf) ? '#' : `{${item.numberOf.argument}, number}`);
  }
  for (const choice of leaf.items.filter(isChoice)) {
    const taken = [...codes.values()];
    const names = [choice.argument, ...taken.map((_, at) => `${choice.argument}_${at + 2}`)];
    codes.set(choice, names.map((name) => `{${name}}`).find((code) => !taken.includes(code))!);
  }
  return codes;
}

/** Whether `#` is the number of a plural: only directly in one of its options, and the text must not have another `#`. */
function isNumberSign({ numberOf }: { numberOf: Choice }, { items, path }: Leaf): boolean {
  return (
    path.at(-1)?.choice === numberOf && !items.some((item) => typeof item === 'string' && item.includes('#'))
  );
}

/** Whether a number can be written in a text that it was moved to. */
function canShow(item: Exclude<Item, string>, leaf: Leaf): boolean {
  return !('numberOf' in item) || item.numberOf.offset === 0 || isNumberSign(item, leaf);
}

/** Writes a translation as ICU: the arguments of its text stay, and all other characters are escaped where necessary. */
function writeLeaf(
  leaf: Leaf,
  translation: string,
  writeText: MessageSyntax['writeText'],
  print: (tree: Tree) => string,
): string {
  const { path, inside } = leaf;
  const written = new Map(
    [...codesOf(leaf)].map(([item, code]) => {
      if (isChoice(item)) return [code, print(inside!.choices.get(item)!)];
      return [code, inside && 'numberOf' in item ? '#' : code];
    }),
  );
  const inWords = new Map(codesInWords(leaf).map((code) => [`'${code}'`, code]));
  const pattern = [...written.keys(), ...inWords.keys()]
    .sort((a, b) => b.length - a.length)
    .map((code) => RegExp.escape(code))
    .join('|');
  const parts = pattern === '' ? [translation] : translation.split(new RegExp(`(${pattern})`));
  const hasBrace = translation.includes('{');
  return parts
    .map((part, index) => {
      const next = parts[index + 1] ?? (path.length > 0 ? '}' : '');
      const place = { next, path, isOption: path.length > 0, hasBrace };
      const code = inWords.get(part);
      if (code !== undefined) return writeText(code, { ...place, isCode: true });
      return index % 2 === 1 ? written.get(part)! : writeText(part, { ...place, isCode: false });
    })
    .join('');
}

function printChoice({ choice, options }: Options, print: (tree: Tree) => string): string {
  const { argument, type, offset, gap, head: ofJava } = choice;
  if (ofJava !== undefined)
    return `${ofJava}${options.map(([selector, inner]) => selector + print(inner)).join('|')}}`;
  const head = `{${argument}, ${type},${offset === 0 ? '' : ` offset:${offset}`}`;
  const written = options.map(([selector, inner]) => `${gap}${selector} {${print(inner)}}`).join('');
  const end = gap === ' ' ? '' : gap.replace(/(?:\t| {2})$/, '');
  return `${head}${written}${end}}`;
}
