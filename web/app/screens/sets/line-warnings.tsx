import { useEffect, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { GlossaryPreview } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Card } from '../../kit/card.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import styles from './import-preview.module.css';

type Warning = GlossaryPreview['line_warnings'][number];

/** More warnings of a kind are collapsed. */
const maxOpen = 5;

/** The warnings about a file, by their kinds, each with its term or the text of its line. */
export function LineWarnings({ file, preview }: { file: File; preview: GlossaryPreview }) {
  const t = useT();
  const { number } = useFormat();
  const { line_warnings: warnings, warning_counts: counts } = preview;
  const lines = useLines(file, preview);
  if (counts.length === 0) return null;
  return (
    <Card as="section" tone="warn" pad={4} gap={2} aria-labelledby="import-warnings">
      <Text as="h3" size="md" id="import-warnings">
        {t('sets.warnings')}
      </Text>
      {counts.map(({ code, count }) => {
        const listed = warnings.filter((warning) => warning.code === code);
        return (
          <details key={code} open={count <= maxOpen}>
            <summary>
              <b>{number(count)}</b> {t(`sets.warning_${code}`)}
            </summary>
            <ul>
              {listed.map((warning, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                <li key={index}>
                  <WarningItem warning={warning} unit={preview.unit} lines={lines} />
                </li>
              ))}
            </ul>
            {count > listed.length && (
              <p className="hint">{t('sets.more_warnings', { count: count - listed.length })}</p>
            )}
          </details>
        );
      })}
    </Card>
  );
}

function WarningItem({
  warning: { line, place, source_term, target_term, other_target, other_set, name },
  unit,
  lines,
}: {
  warning: Warning;
  unit: GlossaryPreview['unit'];
  lines: ReadonlyMap<number, string>;
}) {
  const t = useT();
  const text = line !== null && !place && source_term === null && lines.get(line);
  return (
    <>
      {place ? (
        <code translate="no">{place}</code>
      ) : (
        line !== null && <span>{t(unit === 'row' ? 'sets.row_n' : 'sets.line_n', { line })}</span>
      )}{' '}
      {name !== null && <bdi translate="no">{name}</bdi>}
      {source_term !== null && (
        <span dir="ltr">
          <bdi translate="no">{source_term}</bdi> → <bdi translate="no">{target_term}</bdi>
        </span>
      )}
      {other_set !== null && (
        <div>
          <bdi translate="no">{other_set}</bdi>: <bdi translate="no">{other_target}</bdi>
        </div>
      )}
      {text && (
        <pre dir="auto" translate="no" className={styles.line}>
          {text}
        </pre>
      )}
    </>
  );
}

/** The texts of the lines that were skipped. A line of a workbook is not text. */
function useLines(file: File, { line_warnings, unit }: GlossaryPreview): ReadonlyMap<number, string> {
  const [lines, setLines] = useState<ReadonlyMap<number, string>>(new Map());
  useEffect(() => {
    if (unit === 'row') return;
    let isShown = true;
    const numbers = line_warnings.flatMap(({ line, place, source_term }) =>
      line === null || place || source_term !== null ? [] : [line],
    );
    void readLines(file, numbers).then((read) => isShown && setLines(read));
    return () => {
      isShown = false;
    };
  }, [file, line_warnings, unit]);
  return lines;
}

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
async function readLines(file: File, numbers: readonly number[]): Promise<Map<number, string>> {
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
    <Card as="figure" tone="sunken" pad={3} gap={1}>
      <figcaption className="hint">{t('sets.wrong_line', { line })}</figcaption>
      <pre dir="auto" translate="no" className={styles.line}>
        {text}
      </pre>
    </Card>
  );
}
