import { LinguaLoopError } from '#sdk/errors.ts';
import { useT } from '../../i18n.tsx';
import styles from './sets.module.css';

/** A line of a file. Numbers start at 1. */
export interface FileLine {
  line: number;
  text: string;
}

/**
 * The number of bytes at the start of a file among which the line is searched. Of a line after these, only the number
 * is shown.
 */
const searchedBytes = 8_000_000;

/** Maximum number of characters of a line to show. */
const shownCharacters = 300;

/**
 * Reads the line to which an error refers, so that the member does not have to open the file. Undefined if the error
 * refers to no line, or if the line cannot be shown.
 */
export async function readRefusedLine(file: File, error: unknown): Promise<FileLine | undefined> {
  if (!(error instanceof LinguaLoopError) || typeof error.detail !== 'string') return undefined;
  const line = Number(/\bline (\d+):/.exec(error.detail)?.[1]);
  if (!line) return undefined;
  const text = (await readLines(file, [line])).get(line);
  return text ? { line, text } : undefined;
}

/** Reads lines of a file by their numbers. Lines that are empty, or after the searched bytes, are left out. */
export async function readLines(file: File, numbers: readonly number[]): Promise<Map<number, string>> {
  // The service reads only UTF-8; other bytes show as replacement characters.
  const text = await file
    .slice(0, searchedBytes)
    .text()
    .catch(() => '');
  const lines = text.split(/\r\n|\r|\n/, Math.max(0, ...numbers));
  const found = numbers.flatMap((line): [number, string][] => {
    const shown = lines[line - 1]?.slice(0, shownCharacters);
    return shown ? [[line, shown]] : [];
  });
  return new Map(found);
}

/** Shows the line of a file that the service rejected. */
export function RefusedLine({ line: { line, text } }: { line: FileLine }) {
  const t = useT();
  return (
    <figure className={styles.wrongLine}>
      <figcaption className="hint">{t('sets.wrong_line', { line })}</figcaption>
      <pre dir="auto" translate="no">
        {text}
      </pre>
    </figure>
  );
}
