/** Web addresses that are divided between lines, without a hyphen that was added. */

/** The maximum number of lines of an address. */
const maxLines = 12;
/** The start of an address at the start of a word. */
const start = /^[<("'[]*(?:https?:\/\/|ftp:\/\/|www\.)\S/iu;
const hostAndPath = /^[<("'[]*[\w-]+(?:\.[\w-]+)*\.\p{Ll}{2,4}\/\S*$/u;
/** An address without a path, which no code follows. */
const host = /^(?:https?:\/\/|www\.)[\w-]+(?:\.[\w-]+)*\.\p{L}{2,}$/iu;
const parts = /^[\w\-.~:/?#@!$&'()*+,;=%]+[\]>”"]*$/u;
/** A sign after which an address continues. */
const open = /[-/?&=_%~#]$/u;
/** An email address without its end: the last part of its host is empty, a letter, or longer than usual. */
const tornEmail = /^[<("'[]*[\w.+-]+@(?:[\w-]+|(?:[\w-]+\.)+(?:\w|\w{5,})?)$/u;
const endOfEmail = /^[\p{Ll}\d][\w-]*(?:\.[\w-]+)*$/u;
/** Two words for a choice, such as `and/or`. */
const choice = /^\p{L}+\/\p{L}+[.,;]?$/u;
const word = /^\p{L}+[.,;:]?$/u;
const file = /^[\w-]+\.\p{Ll}{2,5}[).,;]?$/u;

/**
 * Whether a line continues the address at the end of the lines above.
 *
 * @param lines the lines, of which only the last ones above line `index` are read
 */
export function continuesAddress(lines: readonly { text: string }[], index: number): boolean {
  const below = lines[index]!.text;
  const next = firstWord(below);
  const last = lastWord(lines[index - 1]!.text);
  if (next === below && endOfEmail.test(next) && tornEmail.test(last)) return !last.endsWith(`@${next}`);
  if (!parts.test(next) || start.test(next) || !endsInAddress(lines, index)) return false;
  if (hostAndPath.test(next) && !/[-./]$/u.test(last)) return false;
  if (open.test(last))
    return (
      last.endsWith('-') ||
      !word.test(next) ||
      (next === below && /^\p{Ll}+$|\p{Ll}\p{Lu}\p{L}*$/u.test(next))
    );
  if (/[,;)>\]]$/u.test(last) || choice.test(next)) return false;
  if (/[=&?%_]|\w\/\w|\w\/$|^[/.?&#]\w/u.test(next) || file.test(next)) return true;
  // A code, such as the end of an identifier, if both lines consist of one word.
  const isAlone = next === below && last === lines[index - 1]!.text;
  return isAlone && !host.test(last) && /\d/u.test(next) && /[A-Za-z]/u.test(next);
}

function endsInAddress(lines: readonly { text: string }[], end: number): boolean {
  for (const { text } of lines.slice(Math.max(0, end - maxLines), end).reverse()) {
    const last = lastWord(text);
    if (start.test(last) || hostAndPath.test(last)) return true;
    if (last !== text || !parts.test(last)) return false;
  }
  return false;
}

/** The maximum length of a word that is read, in UTF-16 units. */
const maxLength = 300;

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1).slice(-maxLength);
}

function firstWord(text: string): string {
  const end = text.indexOf(' ');
  return text.slice(0, end < 0 ? maxLength : Math.min(end, maxLength));
}
