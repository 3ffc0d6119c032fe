import { letter } from '../text.ts';

/** A range of a field's code with words that a reader sees. */
export interface FieldWords {
  /** Offsets in the code. */
  start: number;
  end: number;
  text: string;
  /** Returns a translation as the code has it; undefined if the words stay, and are only counted. */
  write: ((translation: string) => string) | undefined;
}

/** Stands in a code for a field inside of it. */
export const innerField = '\ufffc';

/** An argument of a field's code, with its range in it without quotes. */
interface Argument {
  start: number;
  end: number;
  text: string;
  /** The switch before it, such as `\t`, if any. */
  of: string | undefined;
  isQuoted: boolean;
}

/**
 * The places of words in each type of field: the positions of arguments from 1, without those of switches, and the switches
 * whose argument has words. All other arguments are names, formats and values.
 */
const places: Readonly<Record<string, { arguments?: readonly number[]; switches?: readonly string[] }>> = {
  ASK: { arguments: [2], switches: ['\\d'] },
  AUTOTEXTLIST: { arguments: [1], switches: ['\\t'] },
  FILLIN: { arguments: [1], switches: ['\\d'] },
  HYPERLINK: { switches: ['\\o'] },
  MERGEFIELD: { switches: ['\\b', '\\f'] },
  QUOTE: { arguments: [1] },
  // The text is a value, with which other fields may compare.
  SET: { arguments: [2] },
  TA: { switches: ['\\l', '\\s'] },
  TC: { arguments: [1] },
  XE: { arguments: [1], switches: ['\\t'] },
};

/** The switches without an argument. All others have one. */
const flags: ReadonlySet<string> = new Set(
  ['XE \\b', 'XE \\i', 'TC \\n', 'HYPERLINK \\m', 'HYPERLINK \\n', 'FILLIN \\o', 'ASK \\o'].concat([
    'MERGEFIELD \\m',
    'MERGEFIELD \\v',
    'TA \\b',
    'TA \\i',
  ]),
);

/** Returns the words of a field's code that a reader sees, in the order of the code. */
export function wordsOfField(code: string): FieldWords[] {
  const [whole = '', type = ''] = /^\s*(\S*)/.exec(code) ?? [];
  const name = type.toUpperCase();
  const stays = name === 'SET';
  const found =
    name === 'MACROBUTTON' || name === 'GOTOBUTTON'
      ? labelOfButton(code, whole.length)
      : argumentsWithWords(argumentsOf(code, whole.length, name), name).flatMap((argument) =>
          name === 'XE' && argument.of === undefined ? levelsOf(argument) : [wordsOf(argument)],
        );
  return found.flatMap((words) => {
    if (!letter.test(words.text)) return [];
    return stays || words.text.includes(innerField) ? [{ ...words, write: undefined }] : [words];
  });
}

function argumentsWithWords(all: readonly Argument[], name: string): Argument[] {
  if (name === 'IF') return textsOfIf(all);
  const { arguments: positions = [], switches = [] } = places[name] ?? {};
  const plain = all.filter(({ of }) => of === undefined);
  return all.filter((argument) =>
    argument.of === undefined
      ? positions.includes(plain.indexOf(argument) + 1)
      : switches.includes(argument.of),
  );
}

/** The texts of a condition are those after the values that it compares. */
function textsOfIf(all: readonly Argument[]): Argument[] {
  const plain = all.filter(({ of }) => of === undefined);
  const at = plain.findIndex(({ text, isQuoted }) => !isQuoted && /[<>=]/.test(text));
  if (at < 0) return [];
  const from = /[<>=]$/.test(plain[at]!.text) ? at + 2 : at + 1;
  return plain.slice(from, from + 2);
}

/** The text of a button is all that follows the name of its macro, without quotes. */
function labelOfButton(code: string, from: number): FieldWords[] {
  const [macro = ''] = /^\s+\S+\s+/.exec(code.slice(from)) ?? [];
  const start = from + macro.length;
  const text = macro === '' ? '' : code.slice(start).trimEnd();
  return [{ start, end: start + text.length, text, write: (translation) => translation }];
}

function wordsOf({ start, end, text, isQuoted }: Argument): FieldWords {
  const write = (translation: string) =>
    isQuoted || !/\s/.test(translation) ? escaped(translation) : `"${escaped(translation)}"`;
  return { start, end, text: text.replace(/\\(.)/gs, '$1'), write };
}

/** The levels of an index entry are separated by colons. */
function levelsOf({ start, text, isQuoted }: Argument): FieldWords[] {
  if (!isQuoted) return [wordsOf({ start, end: start + text.length, text, of: undefined, isQuoted })];
  return [...text.matchAll(/(?:\\.|[^:\\])+/gs)].map(({ 0: level, index }) => ({
    start: start + index,
    end: start + index + level.length,
    text: level.replace(/\\(.)/gs, '$1'),
    write: (translation) => escaped(translation).replaceAll(':', '\\:'),
  }));
}

/** Word reads typographic quotes in a code as straight ones. */
function escaped(text: string): string {
  return text.replace(/[\u201c\u201d]/g, '"').replace(/["\\]/g, '\\$&');
}

function argumentsOf(code: string, from: number, name: string): Argument[] {
  const found: Argument[] = [];
  const token =
    /\s+|"((?:\\.|[^"\\])*)"?|[\u201c\u201d]([^\u201c\u201d]*)[\u201c\u201d]?|\\(\S)|[^\s"\\]+/gsu;
  token.lastIndex = from;
  let of: string | undefined;
  for (let match = token.exec(code); match; match = token.exec(code)) {
    const [written, quoted, curly, flag] = match;
    if (written.trim() === '') continue;
    if (flag !== undefined) {
      // The format of a general switch, such as `\* MERGEFORMAT`, does not belong to the arguments of the field.
      of = `\\${flag.toLowerCase()}`;
      if (flags.has(`${name} ${of}`)) of = undefined;
      continue;
    }
    const text = quoted ?? curly ?? written;
    const start = match.index + (text === written ? 0 : 1);
    found.push({ start, end: start + text.length, text, of, isQuoted: text !== written });
    of = undefined;
  }
  return found;
}
