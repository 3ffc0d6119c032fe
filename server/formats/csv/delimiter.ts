/**
 * What can stand between the cells of a row. Where two fit alike, the one that is rarer in texts counts: a comma is on
 * many lines of a file that tabs or semicolons delimit, and hardly the other way round.
 */
const delimiters = ['\t', '|', ';', ','] as const;

export type Delimiter = (typeof delimiters)[number];

/** How much of a file is looked at, in UTF-16 units (B 4.4). */
const sampleLength = 4096;

/**
 * The delimiter of a file, by its first 4096 characters (B 4.4): the one that stands equally often, quoted cells left
 * out, on the most lines. A comma where there is none.
 *
 * @param text with `\n` as line end
 */
export function sniffDelimiter(text: string): Delimiter {
  const lines = countDelimiters(text.slice(0, sampleLength));
  // The last line of a longer file is cut.
  if (text.length > sampleLength && lines.length > 1) lines.pop();
  let best: { delimiter: Delimiter; lines: number } = { delimiter: ',', lines: 0 };
  for (const [place, delimiter] of delimiters.entries()) {
    const agreeing = countAgreeing(lines.map((counts) => counts[place]!));
    if (agreeing > best.lines) best = { delimiter, lines: agreeing };
  }
  return best.delimiter;
}

/** How often each delimiter stands on each line. A line end within quotes is none. */
function countDelimiters(sample: string): number[][] {
  const lines: number[][] = [];
  let counts = delimiters.map(() => 0);
  let inQuotes = false;
  let atCellStart = true;
  for (const character of sample) {
    const place = delimiters.indexOf(character as Delimiter);
    // An escaped quote, which is two, ends the quoting and begins it again.
    if (character === '"') inQuotes = !inQuotes && atCellStart;
    else if (inQuotes) continue;
    else if (character === '\n') {
      lines.push(counts);
      counts = delimiters.map(() => 0);
    } else if (place >= 0) counts[place]! += 1;
    atCellStart = place >= 0 || character === '\n' || (atCellStart && /["\s]/.test(character));
  }
  lines.push(counts);
  return lines;
}

/** How many lines have the count, other than none, that most of them have. */
function countAgreeing(counts: readonly number[]): number {
  const linesOf = new Map<number, number>();
  for (const count of counts) if (count > 0) linesOf.set(count, (linesOf.get(count) ?? 0) + 1);
  return Math.max(0, ...linesOf.values());
}
