/** Web addresses that are divided between lines, without a hyphen that was added. */

/** The maximum number of lines of an address. */
const maxLines = 12;
/** The start of an address at the start of a word. */
const start = /^[<("'[]*(?:https?:\/\/|ftp:\/\/|www\.)\S/iu;
const hostAndPath = /^[<("'[]*[\w-]+(?:\.[\w-]+)*\.\p{Ll}{2,4}\/\S*$/u;
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
 * @param above the texts of the lines above, from the top; only the last ones are read
 */
export function continuesAddress(above: readonly string[], below: string): boolean {
  const next = firstWord(below);
  if (next === below && endOfEmail.test(next) && tornEmail.test(lastWord(above.at(-1)!)))
    return !lastWord(above.at(-1)!).endsWith(`@${next}`);
  if (!parts.test(next) || start.test(next) || !endsInAddress(above)) return false;
  const last = lastWord(above.at(-1)!);
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
  const isAlone = next === below && last === above.at(-1);
  return isAlone && /\d/u.test(next) && /[A-Za-z]/u.test(next);
}

function endsInAddress(lines: readonly string[]): boolean {
  for (let at = lines.length - 1; at >= Math.max(0, lines.length - maxLines); at--) {
    const last = lastWord(lines[at]!);
    if (start.test(last) || hostAndPath.test(last)) return true;
    if (last !== lines[at] || !parts.test(last)) return false;
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
