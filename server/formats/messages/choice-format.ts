import { type Choice, type Item, type Message, messageOf } from './choices.ts';

/*
 * Choices in Java's MessageFormat, such as `{0,choice,0#no files|1#one file|1<{0} files}`. Their options are for ranges of
 * numbers, which stay.
 */

const start = /\{\s*\w+\s*,\s*choice\s*,\s*/;

/**
 * Reads a message of MessageFormat with choices.
 *
 * @param message as it is in the program: with its apostrophes
 * @returns null for another text, or one with quoted braces, or with choices within choices
 */
export function readChoices(message: string): Message | null {
  if (!start.test(message)) return null;
  const items: Item[] = [];
  for (const piece of piecesOf(message)) {
    const [head] = start.exec(piece) ?? [];
    if (head === undefined) items.push(piece.startsWith('{') ? { written: piece } : unquoted(piece));
    else {
      const choice = choiceOf(head, piece.slice(head.length, -1));
      if (!choice) return null;
      items.push(choice);
    }
  }
  return messageOf(items, { targetLanguage: undefined, writeText });
}

/** Splits a message at its arguments, which begin with a brace. Apostrophes quote braces. */
function piecesOf(message: string): string[] {
  const pieces = [''];
  let [depth, isQuoted] = [0, false];
  for (const sign of message) {
    if (sign === "'") isQuoted = !isQuoted;
    const isBrace = !isQuoted && (sign === '{' || sign === '}');
    if (isBrace && sign === '{' && depth++ === 0) pieces.push('');
    pieces[pieces.length - 1] += sign;
    if (isBrace && sign === '}' && --depth === 0) pieces.push('');
  }
  return pieces.filter((piece) => piece !== '');
}

function choiceOf(head: string, written: string): Choice | undefined {
  const options: [selector: string, items: Item[]][] = [];
  const parts = written.match(/(?:'[^']*'|\{[^{}]*\}|[^|'{}])+/g) ?? [];
  if (parts.join('|') !== written) return undefined;
  for (const option of parts) {
    const [selector] = /^\s*-?(?:\d+(?:\.\d+)?|∞)\s*[#<≤]/.exec(option) ?? [];
    if (selector === undefined || start.test(option) || /'[^']*[{}][^']*'/.test(option)) return undefined;
    const text = unquoted(option.slice(selector.length));
    // A text with an argument is read as another message, so its apostrophes are doubled again.
    const items = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== '');
    options.push([
      selector,
      items.map((piece) =>
        piece.startsWith('{') ? { written: piece } : items.length > 1 ? unquoted(piece) : piece,
      ),
    ]);
  }
  const [, argument] = /^\{\s*(\w+)/.exec(head)!;
  return { argument: argument!, type: 'choice', offset: 0, options, gap: '', head };
}

/** Removes the apostrophes that quote, and one of two. */
function unquoted(text: string): string {
  return text.replaceAll(/'('?)/g, '$1');
}

/** Writes a text of a message, or of an option of a choice. Java reads an option with a brace twice. */
function writeText(text: string, { isOption, hasBrace }: { isOption: boolean; hasBrace: boolean }): string {
  const doubled = (run: string) => run.replaceAll("'", "''");
  const inMessage = (run: string) => (/[{}]/.test(run) ? `'${doubled(run)}'` : doubled(run));
  if (!isOption) return text.replaceAll(/['{}]+/g, inMessage);
  return text.replaceAll(/['{}|#<≤]+/g, (run) => {
    const written = doubled(hasBrace ? inMessage(run) : run);
    return /[{}|#<≤]/.test(run) ? `'${written}'` : written;
  });
}
